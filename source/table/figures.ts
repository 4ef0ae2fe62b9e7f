import {
	figureNames, ownFigureNames, samplerFigureNames, type OwnFigures, type SamplerFigures,
} from './layout.js';

/** Where each figure lies: those that come with a sample, and the table's own. */
const samplerFigureAt = samplerFigureNames.map(name => ({name, at: figureNames.indexOf(name)}));
const ownFigureAt = ownFigureNames.map(name => ({name, at: figureNames.indexOf(name)}));

/** Writes all figures to where they lie in the table. */
export function writeFigures(to: Float64Array, sampler: SamplerFigures, own: OwnFigures): void {
	for (const {name, at} of samplerFigureAt) {
		to[at] = sampler[name];
	}

	for (const {name, at} of ownFigureAt) {
		to[at] = own[name];
	}
}
