export {default} from '../node_modules/ink/build/renderer.js';
