import type {Plugin} from 'esbuild';

export const inkPlugins: Plugin[];
