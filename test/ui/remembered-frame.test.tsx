/* eslint-disable react/react-in-jsx-scope, react/no-array-index-key -- TypeScript's automatic JSX runtime needs no React in scope; a line is what stands in its place. */
import {PassThrough} from 'node:stream';
import {
	Box, render, Static, Text, Transform, type BoxProps, type DOMElement,
} from 'ink';
import type {ReactNode, RefObject} from 'react';
import {
	afterEach, expect, test,
} from 'vitest';
import rememberedFrame from '../../build/remembered-frame.js';
import inkFrame from '../../node_modules/ink/build/renderer.js';
import {Cell, ThemeContext} from '../../source/ui/components/text.js';
import {Theme} from '../../source/ui/terminal/theme.js';
import {pick, seeded} from '../helpers/random.js';

const theme = new Theme({color: true, ascii: false});
const columns = 40;

type Frame = ReturnType<typeof inkFrame>;

let end: (() => void) | undefined;
afterEach(() => {
	end?.();
	end = undefined;
});

/** Shows a tree with Ink, and then others in its place; what both renderers make of each. */
function screen(): (tree: ReactNode) => {ours(): Frame; inks(): Frame} {
	const box: RefObject<DOMElement | null> = {current: null};
	const stdout = Object.assign(new PassThrough(), {columns});
	const {rerender, unmount} = render(null, {stdout: stdout as unknown as NodeJS.WriteStream, patchConsole: false, maxFps: 1000});
	end = unmount;
	return tree => {
		rerender(<ThemeContext value={theme}><Box ref={box} flexDirection='column'>{tree}</Box></ThemeContext>);
		const root = box.current!.parentNode!;
		return {ours: () => rememberedFrame(root, false), inks: () => inkFrame(root, false)};
	};
}

test('a frame of remembered lines is that of Ink, whatever changes', () => {
	const random = seeded(11);
	const show = screen();
	const cell = () => ({...random() < 0.4 ? {text: `c${pick(random, 9)}`, role: 'hot' as const} : {text: ['', 'abc', '名前', 'a b'][pick(random, 4)], role: undefined}, width: pick(random, 12), isText: random() < 0.2});
	const line = () => Array.from({length: pick(random, 6)}, () => cell());
	let lines = Array.from({length: 6}, () => line());
	let wrap: 'wrap' | 'truncate' = 'wrap';
	const tree = (frame: number, how: typeof wrap) => lines.map((cells, index) => (
		<Box key={index} display={index === frame % 40 ? 'none' : 'flex'}>
			{cells.map(({text, role, width, isText}, at) => isText ? <Text key={at} wrap={how}>{text.repeat(4)}</Text> : <Cell key={at} spans={[{text, role}]} width={width}/>)}
		</Box>
	));
	for (let frame = 0; frame < 100; frame++) {
		const {ours, inks} = show(tree(frame, wrap));
		expect(ours()).toEqual(inks());
		const choice = random();
		if (choice < 0.5) {
			// As most often: another text in the same place.
			lines = lines.map(cells => cells.map(known => random() < 0.3 ? {...known, text: cell().text} : known));
		} else if (choice < 0.8) {
			lines = lines.map(cells => random() < 0.3 ? line() : cells);
		} else if (choice < 0.9) {
			lines = random() < 0.5 ? [line(), ...lines] : lines.slice(1);
		} else {
			wrap = wrap === 'wrap' ? 'truncate' : 'wrap';
		}
	}
});

test('a line of which nothing changed stays the very same, and is not drawn again', () => {
	const show = screen();
	let drawn = 0;
	const counting = (text: string) => {
		drawn++;
		return text.replace(/^ /, 'x');
	};

	const lines = (text: string) => show([
		<Transform key='a' transform={counting}>{' '.repeat(3)}</Transform>, <Cell key='b' spans={[{text}]} width={3}/>,
	]);
	const first = lines('a').ours();
	const same = lines('a');
	drawn = 0;
	const again = same.ours();
	expect([again.output === first.output, drawn]).toEqual([true, 0]);
	const other = lines('b');
	drawn = 0;
	const changed = other.ours();
	expect([changed.output, drawn]).toEqual(['x\nb', 0]);
	expect(changed).toEqual(other.inks());
});

test('what is only in other trees is left to Ink, also when it comes later', () => {
	const show = screen();
	const plain = <Cell spans={[{text: 'abc'}]} width={3}/>;
	const long = <Box flexShrink={0} width={9}>{plain}</Box>;
	const size = {width: 4, height: 1};
	const boxes: BoxProps[] = [
		{}, {borderStyle: 'single'}, {}, size, {...size, overflow: 'hidden'}, size, {...size, overflowX: 'hidden'}, size, {...size, backgroundColor: 'red'}, size,
	];
	const nested = <Text>a<Text bold>b</Text><Transform transform={text => text.toUpperCase()}>c</Transform></Text>;
	for (const tree of [plain, ...boxes.map(props => <Box key='box' {...props}>{long}</Box>), nested, plain]) {
		const {ours, inks} = show(tree);
		expect(ours()).toEqual(inks());
	}

	const box = show(<><Static items={['above']}>{item => <Text key={item}>{item}</Text>}</Static>{plain}</>);
	expect(box.ours()).toEqual(box.inks());
});
