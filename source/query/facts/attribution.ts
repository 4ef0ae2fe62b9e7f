import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import type {Place, Query} from '../types.js';
import {ownCode} from './own-code.js';
import {placeOfFrame} from './place.js';
import {stackIndex} from './stack-index.js';

/** By node: the node of the frame that a sample with this stack counts for in a query. */
export function attributionOf(dictionary: Dictionary, {ownFirst, app}: Pick<Query, 'ownFirst' | 'app'>): Int32Array {
	const index = stackIndex(dictionary);
	return ownFirst ? index.ownAttributed(ownCode(app)) : index.attributed;
}

/**
By node: the node that a stack is taken to end at where all of it is shown. With own code first what the program's own
code called is left out; undefined: every stack as it is.
*/
export function endsOf(dictionary: Dictionary, {ownFirst, app}: Pick<Query, 'ownFirst' | 'app'>): Int32Array | undefined {
	return ownFirst ? stackIndex(dictionary).ownEnds(ownCode(app)) : undefined;
}

/** The program's own line by which a stack came to where it counts; undefined where that is the same, or none is own. */
export function ownPlace(dictionary: Dictionary, node: number, rule: Pick<Query, 'app'>): Place | undefined {
	const end = endsOf(dictionary, {...rule, ownFirst: true})![node];
	return end === node || end === stackIndex(dictionary).attributed[node] ? undefined : placeOfFrame(dictionary, dictionary.nodeFrame[end], 'line');
}

/** The method beyond the program's own code that a stack ends in; undefined where it ends in its own. */
export function viaPlace(dictionary: Dictionary, node: number, rule: Pick<Query, 'app'>): Place | undefined {
	const own = attributionOf(dictionary, {...rule, ownFirst: true})[node];
	const {strings, frameClass, nodeFrame} = dictionary;
	if (node === rootNode || !ownCode(rule.app).isOwn(strings[frameClass[nodeFrame[own]]])) {
		return undefined;
	}

	// A native method has no line, and is named where nothing beyond the own line has one.
	const via = [stackIndex(dictionary).attributed[node], node].find(candidate => candidate !== own);
	return via === undefined ? undefined : placeOfFrame(dictionary, nodeFrame[via], 'method');
}
