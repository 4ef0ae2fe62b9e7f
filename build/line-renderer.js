/*
In place of Ink's renderer.js, which takes a frame apart into an object per character. A text of one line that fits
where it was laid out is joined here as Ink joins it, and a frame of such lines below each other is those lines. Any
other tree is left to Ink. It is performance only: without it the screen is the same.
*/
import measureText from '../node_modules/ink/build/measure-text.js';
import inkRenderer from '../node_modules/ink/build/renderer.js';
import squashTextNodes from '../node_modules/ink/build/squash-text-nodes.js';

/** The only styles of boxes besides a direction: nothing is around their children, and nothing is clipped. */
const bare = {
	flexWrap: 'nowrap', flexGrow: 0, flexShrink: 1, overflowX: 'visible', overflowY: 'visible',
};

export default function renderer(root, isScreenReaderEnabled) {
	const lines = isScreenReaderEnabled || root.staticNode ? undefined : linesOf(root);
	return lines
		? {output: lines.map(line => line.trimEnd()).join('\n'), outputHeight: lines.length, staticOutput: ''}
		: inkRenderer(root, isScreenReaderEnabled);
}

/** Returns the lines of a node; undefined for a node that only Ink can draw. */
function linesOf(node) {
	if (node.isHidden) {
		return undefined;
	}

	if (node.nodeName === 'ink-text') {
		return linesOfText(node);
	}

	const {flexDirection = 'column', ...others} = node.style;
	const isBare = Object.entries(others).every(([name, value]) => value === undefined || value === bare[name]);
	const parts = isBare && !node.internal_static ? node.childNodes.map(child => linesOf(child)) : [undefined];
	if (parts.includes(undefined)) {
		return undefined;
	}

	if (flexDirection === 'column') {
		return parts.flat();
	}

	// Side by side only lines can be joined.
	const isLine = flexDirection === 'row' && parts.every(({length}) => length <= 1);
	return isLine ? parts.slice(0, 1).map(() => parts.flat().join('')) : undefined;
}

function linesOfText(node) {
	const text = squashTextNodes(node);
	if (text === '') {
		return [];
	}

	const {width, height} = measureText(text);
	const {yogaNode, internal_transform: transform} = node;
	const fits = height === 1 && yogaNode.getComputedHeight() === 1 && width <= yogaNode.getComputedWidth();
	return fits ? [transform ? transform(text, 0) : text] : undefined;
}
