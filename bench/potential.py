"""libsvm's SVC on the file of bench/potential, C = 8, γ = 1/columns."""
import json
import sys
import time

REPEATS = 5


def read(path):
    import numpy as np

    with open(path, "rb") as f:
        n, d = np.fromfile(f, "<i8", 2)
        y = np.fromfile(f, "<f8", n)
        x = np.fromfile(f, "<f8", n * d).reshape(n, d)
    return x, y


def main():
    try:
        from sklearn.svm import SVC
    except ImportError:
        print("No comparison with libsvm: numpy or python3-sklearn is not installed.")
        return
    x, y = read(sys.argv[1])
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        model = SVC(C=8, gamma=1 / x.shape[1]).fit(x, y)
        times.append(time.perf_counter() - begin)
    peer = sorted(times)[REPEATS // 2]
    print(json.dumps({"task": "libsvm rbf", "seconds": peer, "training_errors": int((model.predict(x) != y).sum())}))
    ours = [json.loads(line) for line in open(sys.argv[2])]
    missed = False
    for line, target in zip(ours, (0.5, 1.0)):
        ratio = line["seconds"] / peer
        missed |= ratio > target
        print(f"{line['task']} over libsvm's SVC: {ratio:.2f} (at most {target:.2f}) -> {'reached' if ratio <= target else 'MISSED'}")
    sys.exit(missed)


main()
