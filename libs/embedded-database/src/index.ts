export { EmbeddedDatabaseError } from './embedded-database-error';
export {
  exposureOf,
  openEmbeddedDatabase,
  type EmbeddedDatabase,
  type EmbeddedDatabaseOptions,
} from './embedded-database';
