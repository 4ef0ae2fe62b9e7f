import {bashCompletion} from './bash.js';
import {fishCompletion} from './fish.js';
import {zshCompletion} from './zsh.js';

/** The completion scripts, by the shell's name; `shells` in options/command.ts has the names. */
export const completions: Readonly<Record<string, () => string>> = {bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion};
