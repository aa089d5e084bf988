import { statement } from '../../statement';

/**
 * First statement of a transaction that need not be on disk when it is answered: a crash of Postgres may undo it.
 * Used for handing messages to the queue and claiming them: undone work is simply done again.
 */
export const COMMIT_LAZILY = statement({
  name: 'delivery.commit_lazily',
  sql: `SELECT set_config('synchronous_commit', 'off', true)`,
});
