/** The state of a thread, as the meaning of a text. */
export type StateRole = 'running' | 'blocked' | 'waiting' | 'timed' | 'idle';

/** The meaning of a cell. `states`: letters of `stateCells`, each with the role of its state. */
export type CellRole = StateRole | 'states' | 'own' | 'hot' | 'dim' | 'key' | 'error';

/** The meaning of a piece of text, from which the theme of the screen chooses its style. */
export type Role = Exclude<CellRole, 'states'> | 'title' | 'heading' | 'sorted' | 'good' | 'selected' | 'tab';
