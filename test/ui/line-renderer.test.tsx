import {readFile} from 'node:fs/promises';
import {PassThrough} from 'node:stream';
import chalk from 'chalk';
import {Box, render, Static, Text, Transform, type DOMElement} from 'ink';
import type {ReactNode, RefObject} from 'react';
import {afterEach, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {screenPicture, themes} from '../../build/pictures.js';
import lineRenderer from '../../build/line-renderer.js';
import inkRenderer from '../../node_modules/ink/build/renderer.js';
import {Lines, ThemeContext} from '../../source/ui/components/text.js';
import {Theme} from '../../source/ui/terminal/theme.js';
import type {Spans} from '../../source/ui/text/spans.js';

// As showScreen has it: chalk would go by the environment.
chalk.level = 3;
const theme = new Theme({color: true, ascii: false});
const width = 20;

let end: (() => void) | undefined;
afterEach(() => {
	end?.();
});

/** Shows a tree with Ink; what each renderer makes of it. */
function drawn(tree: ReactNode) {
	const box: RefObject<DOMElement | null> = {current: null};
	const stdout = Object.assign(new PassThrough(), {columns: width + 1, rows: 24});
	end = render(
		<ThemeContext value={theme}>
			<Box ref={box} flexDirection='column'>{tree}</Box>
		</ThemeContext>,
		{stdout: stdout as unknown as NodeJS.WriteStream, patchConsole: false, interactive: true},
	).unmount;
	const root = box.current!.parentNode!;
	return {ours: lineRenderer(root, false), inks: inkRenderer(root, false)};
}

test('the parts of Ink that are replaced are those of this version', async () => {
	const {version} = JSON.parse(await readFile('node_modules/ink/package.json', 'utf8')) as {version: string};
	expect(version, 'read what changed in ink/build/renderer.js, then change this').toBe('8.0.0');
});

test('a screen of lines is drawn as Ink draws it', async () => {
	const lines: Spans[] = [
		[{text: safe`a `, role: 'hot'}, {text: safe`名前`}],
		[],
		[{text: safe`   `}],
		[{text: safe`x`.repeat(30)}],
		[{text: safe`e\u0301👩‍👩‍👧  `, role: 'selected'}],
	];
	const {ours, inks} = drawn((
		<>
			<Lines lines={lines} width={width}/>
			<Box flexDirection='column'>
				<Lines lines={[[{text: safe`RRww`, role: 'states'}]]} width={width} height={3}/>
			</Box>
		</>
	));
	const pictureOf = async (output: string) => screenPicture(output.split('\n'), width + 1, themes.dark);
	const [ourCells, inksCells] = await Promise.all([ours, inks].map(async ({output}) => pictureOf(output)));
	expect(ourCells).toBe(inksCells);
	expect(ours.output)
		.toBe(`\u001B[33ma \u001B[39m名前\n\n\n${'x'.repeat(width)}\n\u001B[7me\u0301👩‍👩‍👧  \u001B[27m\n\u001B[32mRR\u001B[39m\u001B[34mww\u001B[39m\n\n`);
});

test('neighbours that look alike share a text, and so do the letters of a state', () => {
	const {ours}
		= drawn(<Lines
			lines={[
				[{text: safe`a`, role: 'selected'}, {text: safe``}, {text: safe`bc`, role: 'selected'}],
				[{text: safe`RRBww`, role: 'states'}],
			]}
			width={width}
		/>);
	expect(ours.output)
		.toBe('\u001B[7mabc\u001B[27m\n\u001B[32mRR\u001B[39m\u001B[1m\u001B[31mB\u001B[39m\u001B[22m\u001B[34mww\u001B[39m');
});

test.each<[string, ReactNode, string]>([
	['a text', <Text key='a'>abc</Text>, 'abc'],
	[
		'texts within a text',
		<Text key='a'>
			a<Transform transform={text => text.toUpperCase()}>b</Transform>
		</Text>,
		'aB',
	],
	[
		'texts side by side, and below them',
		<Box key='a' flexDirection='column'>
			<Box>
				<Text>{'b '}</Text>
				<Text/>
				<Text bold>c</Text>
			</Box>
			<Box/>
			<Text>d</Text>
		</Box>,
		'b \u001B[1mc\u001B[22m\nd',
	],
	[
		'both ends of a line',
		<Box key='a' width={width} justifyContent='space-between'>
			<Box columnGap={2}>
				<Text bold>名前</Text>
				<Text>b</Text>
			</Box>
			<Text>right</Text>
		</Box>,
		`\u001B[1m名前\u001B[22m  b${' '.repeat(width - 12)}right`,
	],
	[
		'columns side by side, in a box that is higher',
		<Box key='a' height={3}>
			<Box flexDirection='column' width={4}>
				<Text>b</Text>
				<Text>c</Text>
			</Box>
			<Text>d</Text>
		</Box>,
		'b   d\nc\n',
	],
])('%s: joined here, as by Ink', (_, tree, output) => {
	const {ours, inks} = drawn(tree);
	expect(ours).toEqual(inks);
	expect(ours.output).toBe(output);
});

test.each<[string, ReactNode]>([
	['a text of two lines', <Text key='a'>{'abc\ndef'}</Text>],
	['a text that is wrapped', <Text key='a'>{'abc '.repeat(20)}</Text>],
	['texts that overlap', <Box key='a' width={2}><Text>abc</Text><Box marginLeft={-2}><Text>d</Text></Box></Box>],
	['a text without room', <Box key='a' width={3}><Text wrap='truncate'>abcdef</Text></Box>],
	[
		'a border',
		<Box key='a' flexDirection='column' borderStyle='single'>
			<Lines lines={[[{text: safe`b`}]]} width={width}/>
		</Box>,
	],
	[
		'what is clipped',
		<Box key='a' flexDirection='column' height={1} overflow='hidden'>
			<Lines lines={[[{text: safe`b`}], [{text: safe`c`}]]} width={width}/>
		</Box>,
	],
	['what stays above', <Static key='a' items={['above']}>{item => <Text key={item}>{item}</Text>}</Static>],
])('%s: left to Ink', (_, tree) => {
	const {ours, inks} = drawn(tree);
	expect(ours).toEqual(inks);
});
