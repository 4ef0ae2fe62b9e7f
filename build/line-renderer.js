/*
In place of Ink's renderer.js, which takes a frame apart into an object per character. Our screens are lines below each
other, each a text of its own: here the frame is those texts. Any other tree is left to Ink. It is performance only:
without it the screen is the same.
*/
import inkRenderer from '../node_modules/ink/build/renderer.js';

/** The only style that boxes have: children below each other, nothing around them. */
const column = {
	flexWrap: 'nowrap', flexDirection: 'column', flexGrow: 0, flexShrink: 1, overflowX: 'visible', overflowY: 'visible', backgroundColor: undefined,
};

export default function renderer(root, isScreenReaderEnabled) {
	const lines = [];
	return isScreenReaderEnabled || root.staticNode || !root.childNodes.every(node => addLines(node, lines))
		? inkRenderer(root, isScreenReaderEnabled)
		: {output: lines.join('\n'), outputHeight: lines.length, staticOutput: ''};
}

/** Adds the lines of a node; false for a node that only Ink can draw. */
function addLines({nodeName, style, childNodes, internal_transform: transform, internal_static: isStatic}, lines) {
	if (nodeName === 'ink-text') {
		// What is measured is a blank, which the transform replaces.
		const isLine = transform !== undefined && childNodes.length === 1 && childNodes[0].nodeValue === ' ';
		if (isLine) {
			lines.push(transform(' ', 0).trimEnd());
		}

		return isLine;
	}

	for (const name in style) {
		if (style[name] !== column[name]) {
			return false;
		}
	}

	return nodeName === 'ink-box' && style.flexDirection === column.flexDirection && !isStatic && childNodes.every(node => addLines(node, lines));
}
