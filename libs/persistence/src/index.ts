export { ChangeFeed, type ChangeTopic } from './change-feed';
export { Database, violates, type DatabaseOptions, type Queryable } from './database';
export { FreshCache } from './fresh-cache';
export { migrate, missingMigrations } from './migrate';
export { statement, type Statement } from './statement';
