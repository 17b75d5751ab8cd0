// Builds the third-party browser code into vendor/, which the Go program embeds, and joins the modules of js/ into
// one file. Run by `make assets`; versions are those in package-lock.json.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
await build({
  ...common,
  entryPoints: [join(here, 'echarts.mjs')],
  outfile: join(vendor, 'echarts.js'),
  define: { 'process.env.NODE_ENV': '"production"' },
  nodePaths: [modules],
});

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
  external: ['../vendor/echarts.js'], // loaded with the first chart
  banner: { js: `/*${sum.digest('hex')}*/` },
});

await copyFile(join(modules, 'echarts', 'LICENSE'), join(vendor, 'echarts.LICENSE.txt'));
await copyFile(join(modules, 'echarts', 'NOTICE'), join(vendor, 'echarts.NOTICE.txt'));
