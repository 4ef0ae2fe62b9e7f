import process from 'node:process';
import {arm64} from '../arch/arm64/arm64.js';
import {x64} from '../arch/x64/x64.js';
import {type Architecture} from '../arch/architecture.js';

/** The architectures on which the engine works. */
export const architectures: readonly Architecture[] = [x64, arm64];

/** The architecture of this process, and so of its targets. On any that is not listed the engine does not start. */
export const ownArchitecture: Architecture = architectures.find(({id}) => id === process.arch) ?? x64;
