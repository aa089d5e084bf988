import { statement } from '../../statement';

/**
 * First statement of a transaction that need not be on disk when it is answered: a crash of Postgres may take it back.
 * For handing messages to the queue and claiming them: work that is taken back is handed over and claimed again.
 */
export const COMMIT_LAZILY = statement({
  name: 'delivery.commit_lazily',
  sql: `SELECT set_config('synchronous_commit', 'off', true)`,
});
