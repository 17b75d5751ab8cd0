// Builds the third-party browser code into vendor/, which the Go program
// embeds. Run by `make assets`; the versions are those of package-lock.json.
import { build } from 'esbuild';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const vendor = join(here, 'vendor');
const modules = join(here, '..', '..', 'node_modules');

await mkdir(vendor, { recursive: true });
await build({
  entryPoints: [join(here, 'echarts.mjs')],
  outfile: join(vendor, 'echarts.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome109', 'firefox115', 'safari16'],
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
  nodePaths: [modules],
});
await copyFile(join(modules, 'echarts', 'LICENSE'), join(vendor, 'echarts.LICENSE.txt'));
await copyFile(join(modules, 'echarts', 'NOTICE'), join(vendor, 'echarts.NOTICE.txt'));
