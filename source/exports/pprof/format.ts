import type {ExportFormat} from '../formats/export-format.js';
import {windowSnapshot} from '../formats/window-snapshot.js';
import {pprofTraces} from '../traces/pprof.js';
import {writePprof} from './write.js';

/** The only format that tprof-top can open again. Everything is in it, whatever the view shows. */
export const pprof: ExportFormat = {
	id: 'pprof',
	title: 'pprof',
	extension: '.pb.gz',
	usualFor: 'save',
	description: 'the whole snapshot: opens again with tprof-top open, in go tool pprof and in speedscope',
	streaming: false,
	binary: true,
	traces: pprofTraces,
	write: (snapshot, baseline, {version}) => writePprof(windowSnapshot(snapshot, baseline), version),
};
