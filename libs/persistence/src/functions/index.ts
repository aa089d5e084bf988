import { ACCOUNTS } from './accounts';
import { AUDIT_ACCOUNTS } from './audit-accounts';
import { AUDIT_LOG } from './audit-log';
import { AUDIT_PARTNERS } from './audit-partners';
import { AUDIT_SHARES } from './audit-shares';
import { CONTENT_CHANGES } from './content-changes';
import { CurrentForm } from './current-form';
import { DELIVERIES } from './deliveries';
import { FILES } from './files';
import { GROUP_SHARES } from './group-shares';
import { FRESHNESS } from './freshness';
import { PARTNERS } from './partners';
import { PUSHES } from './pushes';
import { RECEIVED_SHARES } from './received-shares';
import { RESHARES } from './reshares';
import { REVISIONS } from './revisions';
import { SHARES } from './shares';

/**
 * SQL of each subject, in the order of its application: SQL functions need the functions that they call. Functions that read a table are
 * in PL/pgSQL, which keeps their plans for the connection; in SQL they would be planned for each transaction.
 */
const SOURCES: Readonly<Record<string, string>> = {
  'audit-log': AUDIT_LOG,
  freshness: FRESHNESS,
  accounts: ACCOUNTS,
  files: FILES,
  partners: PARTNERS,
  'received-shares': RECEIVED_SHARES,
  reshares: RESHARES,
  shares: SHARES,
  'group-shares': GROUP_SHARES,
  deliveries: DELIVERIES,
  'content-changes': CONTENT_CHANGES,
  pushes: PUSHES,
  'audit-shares': AUDIT_SHARES,
  'audit-partners': AUDIT_PARTNERS,
  'audit-accounts': AUDIT_ACCOUNTS,
};

/** All functions and triggers of the schema in their current form. */
export const CURRENT_FORMS: readonly CurrentForm[] = Object.entries(SOURCES).map(
  ([subject, sql]) => new CurrentForm(subject, REVISIONS[subject]?.revision ?? 0, sql),
);
