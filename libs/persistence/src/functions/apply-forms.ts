import type { DataSource, QueryRunner } from 'typeorm';
import type { AppliedForm, CurrentForm } from './current-form';

const HAS_RECORD = `SELECT to_regclass('schema_function') IS NOT NULL AS present`;
const RECORDED = 'SELECT subject, revision, digest, triggers FROM schema_function';
const RECORD = `INSERT INTO schema_function (subject, revision, digest, triggers) VALUES ($1, $2, $3, $4)
  ON CONFLICT (subject) DO UPDATE SET revision = EXCLUDED.revision, digest = EXCLUDED.digest, triggers = EXCLUDED.triggers`;

/** The forms that were applied to a database; none before the migration that creates their table. */
export async function appliedForms(database: DataSource | QueryRunner): Promise<readonly AppliedForm[]> {
  const [record] = (await database.query(HAS_RECORD)) as { present: boolean }[];
  return record?.present ? ((await database.query(RECORDED)) as AppliedForm[]) : [];
}

/**
 * Applies the form and records it. Unchanged triggers are skipped, because each would lock its table. The caller has
 * begun a transaction.
 */
export async function applyForm(runner: QueryRunner, form: CurrentForm): Promise<void> {
  const known = (await appliedForms(runner)).find(({ subject }) => subject === form.subject);
  await runner.query(form.functions);
  for (const { sql, digest } of form.triggers) if (!known?.triggers.includes(digest)) await runner.query(sql);
  const { subject, revision, digest, triggers } = form;
  await runner.query(RECORD, [subject, revision, digest, triggers.map((trigger) => trigger.digest)]);
}
