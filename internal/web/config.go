package web

import (
	"net/netip"
	"strings"
	"time"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/reach"
)

// Config is the configuration by command line and environment.
type Config struct {
	Listen       string // host:port
	Data         string // the data folder
	PasswordHash string // argon2id in the PHC string format; "" means no sign-in
	Limits       table.Limits
	KeptAnswers  int           // size of the cache of answers in bytes; 0: none
	Memory       int64         // of the program in bytes; 0: no limit
	Work         float64       // limit of multiply-adds of one job; 0: none
	Version      string        // written to every record, model and page
	Reach        reach.Config  // access for worker machines
	Patience     time.Duration // how long a page waits for a fit before it shows progress; 0: 1.5 s

	Ready func(address string) // is called with the address once the server answers, unless nil

	BasePath       string  // path under which a proxy serves the program, "/taper"; "" is the root
	TrustedProxies proxies // proxies trusted to report the address, host and TLS of a visitor
}

// ParseProxies reads addresses and networks with commas between them, "127.0.0.1,10.0.0.0/8".
func ParseProxies(text string) (proxies, error) {
	var all proxies
	for one := range strings.SplitSeq(text, ",") {
		one = strings.TrimSpace(one)
		n, err := netip.ParsePrefix(one)
		if a, e := netip.ParseAddr(one); e == nil {
			n, err = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
		}
		if err != nil {
			return nil, usererr.New(usererr.Invalid, "%q is neither an address nor a network. Name trusted proxies like "+
				"127.0.0.1 or 10.0.0.0/8, separated by commas.", one)
		}
		all = append(all, n.Masked())
	}
	return all, nil
}
