import { MESSAGES } from '#federation/exchange';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CURRENT_FORMS } from '.';

/** Members of payloads whose names the audit log has too, for facts of its own. */
const ALSO_AUDITED = ['name', 'owner', 'path', 'permissions', 'sender'];

const KINDS = Object.keys(MESSAGES);
const MEMBERS = [
  ...new Set(
    Object.values(MESSAGES).flatMap(({ payload }) =>
      payload instanceof z.ZodObject ? Object.keys(payload.shape) : [],
    ),
  ),
].filter((member) => !ALSO_AUDITED.includes(member));
/** Words of the dialects in capitals, such as `SHARE_ACCEPTED`. */
const WIRE_WORD = /'[A-Z]+(_[A-Z]+)+'/;

/** Rules that only TypeScript has, as a function would repeat them. */
const REPEATED: Readonly<Record<string, RegExp>> = {
  'a lifetime or pause': /\binterval\s+'/i,
  'a notification': /\b(INSERT\s+INTO|UPDATE)\s+notification\b/i,
  'a text for people': /\bformat\(/i,
  'a message to a partner': /\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+outbox_message\b/i,
  'a kind of message': new RegExp(`'(${KINDS.join('|')})`),
  'a member of a payload': new RegExp(`'(${MEMBERS.join('|')})'`),
  'a word of a dialect': WIRE_WORD,
};

const repeatedIn = (sql: string): string[] =>
  Object.entries(REPEATED)
    .filter(([, pattern]) => pattern.test(sql))
    .map(([rule]) => rule);

describe('functions and triggers', () => {
  it.each(CURRENT_FORMS.map((form) => [form.subject, form] as const))(
    'of %s write no message and no notification',
    (_subject, { functions, triggers }) => {
      expect([functions, ...triggers.map(({ sql }) => sql)].flatMap(repeatedIn)).toEqual([]);
    },
  );

  it('are all looked at: every file of SQL is among the subjects', () => {
    const files = readdirSync(__dirname).filter((name) =>
      readFileSync(join(__dirname, name), 'utf8').includes('CREATE OR REPLACE FUNCTION'),
    );
    const sources = files.filter((name) => !name.endsWith('.spec.ts'));
    expect(sources.map((name) => name.replace('.ts', '')).sort()).toEqual(
      CURRENT_FORMS.map(({ subject }) => subject).sort(),
    );
  });

  it.each([
    ['a lifetime or pause', `deadline_at = now() + interval '7 days'`],
    ['a notification', 'INSERT INTO notification (uid) VALUES (OLD.owner_uid)'],
    ['a text for people', `format('%s left', OLD.recipient)`],
    ['a message to a partner', 'INSERT INTO outbox_message (kind) VALUES (said)'],
    ['a kind of message', `PERFORM tell(OLD, 'share-unshare')`],
    ['a kind of message', `said := 'reshare-undo:share/' || OLD.id`],
    ['a member of a payload', `jsonb_build_object('providerId', OLD.id)`],
    ['a word of a dialect', `notify('SHARE_UNSHARED')`],
  ])('that had %s would be found', (rule, sql) => {
    expect(repeatedIn(sql)).toContain(rule);
  });
});
