// The page of a report starts the help alone: the report itself needs no script, and prints as it is.
import { start } from './help.js';

start(document);
