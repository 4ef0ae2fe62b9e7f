/*
In place of Ink's renderer.js, which takes a frame apart into an object per character. This puts whole lines
together, if boxes only lay out texts of one line that fit where they are and do not overlap. Any other tree is
left to Ink. It is performance only: without it the screen is the same.
*/
import measureText from '../node_modules/ink/build/measure-text.js';
import inkRenderer from '../node_modules/ink/build/renderer.js';
import squashTextNodes from '../node_modules/ink/build/squash-text-nodes.js';

/** The styles that say only where a box and its children are. */
const layoutStyles = new Set([
	'flexDirection', 'flexWrap', 'flexGrow', 'flexShrink', 'justifyContent', 'columnGap', 'width', 'height',
]);

/** The styles that every box has, with the values that change nothing. */
const idleStyles = {overflowX: 'visible', overflowY: 'visible', backgroundColor: undefined};

export default function renderer(root, isScreenReaderEnabled) {
	const lines = isScreenReaderEnabled || root.staticNode ? undefined : linesOf(root);
	return lines
		? {
			output: lines.map(({text}) => text.trimEnd()).join('\n'),
			outputHeight: lines.length,
			staticOutput: '',
		}
		: inkRenderer(root, isScreenReaderEnabled);
}

/** Returns the lines of a node, each with its width; undefined for a node that only Ink can draw. */
function linesOf(node) {
	if (node.isHidden) {
		return undefined;
	}

	return node.nodeName === 'ink-text' ? linesOfText(node) : linesOfBox(node);
}

function linesOfBox(node) {
	const isPlain = Object.entries(node.style).every(([name, value]) =>
		layoutStyles.has(name) || (name in idleStyles && value === idleStyles[name]));
	if (!isPlain || node.internal_static) {
		return undefined;
	}

	const lines = Array.from({length: node.yogaNode.getComputedHeight()}, () => ({text: '', width: 0}));
	for (const child of node.childNodes) {
		const parts = linesOf(child);
		if (!parts || !place(parts, lines, child.yogaNode)) {
			return undefined;
		}
	}

	return lines;
}

/** Adds the lines of a child to those of its parent; returns whether they are within them and to their right. */
function place(parts, lines, yogaNode) {
	const [left, top] = [yogaNode.getComputedLeft(), yogaNode.getComputedTop()];
	return parts.every(({text, width}, index) => {
		const before = lines[top + index];
		if (!before || before.width > left) {
			return false;
		}

		lines[top + index] = {text: before.text + ' '.repeat(left - before.width) + text, width: left + width};
		return true;
	});
}

function linesOfText(node) {
	const text = squashTextNodes(node);
	if (text === '') {
		return [];
	}

	const {width, height} = measureText(text);
	const {yogaNode, internal_transform: transform} = node;
	const fits = height === 1 && yogaNode.getComputedHeight() === 1 && width <= yogaNode.getComputedWidth();
	return fits ? [{text: transform ? transform(text, 0) : text, width}] : undefined;
}
