export { EmbeddedDatabaseError } from './embedded-database-error';
export { exposureOf, openEmbeddedDatabase, type EmbeddedDatabase } from './embedded-database';
