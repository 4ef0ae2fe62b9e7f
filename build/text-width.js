/*
In place of Ink's get-max-width.js: the width that a text may take. Ink takes off its padding and its border, which only
boxes have: four calls into Yoga's WebAssembly for each text of each frame.
*/
export default function getMaxWidth(yogaNode) {
	return yogaNode.getComputedWidth();
}
