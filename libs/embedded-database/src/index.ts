export { EmbeddedDatabaseError } from './embedded-database-error';
export {
  openEmbeddedDatabase,
  type EmbeddedDatabase,
  type EmbeddedDatabaseOptions,
} from './embedded-database';
