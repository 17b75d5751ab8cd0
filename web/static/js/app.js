// Starts every module. Each module extends what the server rendered and leaves it usable without scripts; none
// computes a number.
import * as ask from './ask.js';
import * as audit from './audit.js';
import * as bands from './bands.js';
import * as chart from './chart.js';
import * as compare from './compare.js';
import * as copylink from './copylink.js';
import * as dataset from './dataset.js';
import * as dialog from './dialog.js';
import * as dropzone from './dropzone.js';
import * as explore from './explore.js';
import * as filter from './filter.js';
import * as help from './help.js';
import * as later from './later.js';
import * as live from './live.js';
import * as menu from './menu.js';
import * as number from './number.js';
import * as order from './order.js';
import * as percent from './percent.js';
import * as play from './play.js';
import * as score from './score.js';
import * as select from './select.js';
import * as slider from './slider.js';
import * as stratify from './stratify.js';
import * as study from './study.js';
import * as swap from './swap.js';
import * as tabs from './tabs.js';
import * as theme from './theme.js';
import * as visits from './visit.js';

for (const m of [order, theme, number, slider, percent, dialog, copylink, dropzone, dataset, chart, live, ask, menu, select, compare, filter, score, swap, tabs, stratify, later, study, visits, explore, play, help, audit, bands]) m.start(document);
