import type {ChoiceColumn, ChoiceRow} from './state/chooser-state.js';
import {runShell, type ShellOptions} from './shell.js';
import {Theme, type ThemeOptions} from './terminal/theme.js';

export type {ChoiceRow} from './state/chooser-state.js';

type ChooserOptions = ShellOptions & {
	readonly columns: readonly ChoiceColumn[];
	readonly theme: ThemeOptions;
	/** The JVMs there are now; called once a second. */
	list(): readonly ChoiceRow[];
};

/**
A live list of JVMs to choose one from, with the arrows and Enter; typing filters. Resolves to a pid, or undefined when
it was left without a choice. The terminal is given back in every way of leaving.
*/
export async function runChooser({list, columns, theme, stdin, stdout, hasMouse}: ChooserOptions): Promise<number | undefined> {
	const leaving = await runShell<number | undefined>({stdin, stdout, hasMouse}, async onLeave => {
		const {chooserScreen} = await import('./screens/chooser.js');
		return chooserScreen({
			list, columns, theme: new Theme(theme), onLeave,
		});
	});
	return leaving.reason === 'quit' ? leaving.result : undefined;
}
