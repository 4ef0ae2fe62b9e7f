export {default} from '../node_modules/ink/build/output.js';
