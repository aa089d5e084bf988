import { Foundation1764000000001 } from './0001-foundation';

/** All migrations, oldest first. A new one is appended; none is ever edited after a release. */
export const MIGRATIONS = [Foundation1764000000001];
