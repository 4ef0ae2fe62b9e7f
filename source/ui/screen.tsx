/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import {Box, Transform} from 'ink';
import {Table} from 'ink-table';
import type {ReactNode} from 'react';
import type {Frame} from './frame.js';

/*
What Ink lays out and what it draws are kept apart: it measures one letter a line, always the same, and the line itself, of any content, is put in its place when it is drawn.
Ink keeps every text that it ever measured; lines that change every second would fill the memory of a screen that stays up for days.
*/
const measured = '.';

function Lines({lines}: {readonly lines: readonly string[]}) {
	return lines.length === 0
		? null
		: (
			<Transform transform={(_, index) => lines[index]}>
				{Array.from({length: lines.length}, () => measured).join('\n')}
			</Transform>
		);
}

/** A cell is a whole row, drawn as it is; the table pads it by the length of its escape sequences, which is taken off again. */
function Cell({children}: {readonly children?: ReactNode}) {
	const line = (typeof children === 'string' ? children : '').trimEnd().slice(1);
	return <Transform transform={() => line}>{measured}</Transform>;
}

/** No lines between and around rows: one line of the screen a row. */
function Skeleton() {
	return null;
}

type RowProps = {readonly row: string};

/** The table's width comes from its rows, so that the first is made as long as the heading. */
function Rows({heading, rows}: {readonly heading: string; readonly rows: readonly string[]}) {
	return (
		<Table<RowProps>
			data={rows.map((row, index) => ({row: index === 0 ? row.padEnd(heading.length) : row}))}
			columns={['row']}
			headings={{row: heading}}
			header={Cell}
			cell={Cell}
			skeleton={Skeleton}
		/>
	);
}

/** The whole screen: lines above, the table, lines below; as high as the frame has lines. */
export function Screen({frame: {above, heading, rows, below}}: {readonly frame: Frame}) {
	return (
		<Box flexDirection='column'>
			<Lines lines={above}/>
			{rows ? <Rows heading={heading ?? ''} rows={rows}/> : null}
			<Lines lines={below}/>
		</Box>
	);
}
