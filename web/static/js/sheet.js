// The page of a report starts only what its header needs: the report itself needs no script, and prints as it is.
import { start as help } from './help.js';
import { start as order } from './order.js';

help(document);
order(document);
