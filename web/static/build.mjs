// Builds the third-party browser code into vendor/, which the Go program embeds, and joins the modules of js/ into
// one file. Run by `make assets`; versions are those in package-lock.json.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const vendor = join(here, 'vendor');
const modules = join(here, '..', '..', 'node_modules');

await mkdir(vendor, { recursive: true });
const common = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome109', 'firefox115', 'safari16'],
  legalComments: 'none',
};
// The library is embedded compressed, as browsers get it: the program is 0.4 MB smaller, and the first visit does not
// wait for the compression.
const library = await build({
  ...common,
  write: false,
  entryPoints: [join(here, 'echarts.mjs')],
  outfile: join(vendor, 'echarts.js'),
  define: { 'process.env.NODE_ENV': '"production"' },
  nodePaths: [modules],
});
await writeFile(join(vendor, 'echarts.js.gz'), gzipSync(library.outputFiles[0].contents, { level: 9 }));
await rm(join(vendor, 'echarts.js'), { force: true }); // an earlier version wrote it

// The program compares the hash at the top with the modules it embeds (static.go), so that it never serves an
// outdated file. Names and contents are hashed in the order of Go's directory walk.
const sum = createHash('sha256');
for (const name of (await readdir(join(here, 'js'))).sort()) {
  sum.update(`js/${name}`);
  sum.update(await readFile(join(here, 'js', name)));
}
await build({
  ...common,
  entryPoints: [join(here, 'js', 'app.js')],
  outfile: join(vendor, 'app.js'),
  nodePaths: [modules],
  external: ['../vendor/echarts.js'], // loaded with the first chart
  banner: { js: `/*${sum.digest('hex')}*/` },
});

await copyFile(join(modules, 'echarts', 'LICENSE'), join(vendor, 'echarts.LICENSE.txt'));
await copyFile(join(modules, 'echarts', 'NOTICE'), join(vendor, 'echarts.NOTICE.txt'));
await copyFile(join(modules, 'morphdom', 'LICENSE'), join(vendor, 'morphdom.LICENSE.txt'));
