import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(__dirname, '../../../..');
const OWN_PLACES =
  /(^libs\/sharing\/src\/kinds\/|^libs\/persistence\/src\/migrations\/|^libs\/testing\/|\.spec\.ts$)/;

/**
 * - `union`: stored forms of shares, which the compiler distinguishes by type
 * - `wire`: names of one form in a call or its answer
 * - `mount`: shares that give a place in a tree: shares with users and groups
 * - `offer`: shares at partners, with delivery, acceptance and secret
 * - `link`: shares that a token opens
 * - `account`: rows that end with an account or a group
 * - `group`: members of a group, each with a row or a share of their own
 */
type Reason = 'union' | 'wire' | 'mount' | 'offer' | 'link' | 'account' | 'group';

/** Files outside of the descriptors that name a type of share, with the reason why the descriptor cannot decide there. */
const NAMED: Readonly<Record<string, Reason>> = {
  'apps/share-api/src/ended-shares/ended-share-record.ts': 'wire',
  'apps/share-api/src/mail/share-mail.ts': 'wire',
  'apps/share-api/src/sharees/sharee-entries.ts': 'wire',
  'apps/share-api/src/shares/group-share-members.ts': 'group',
  'libs/persistence/src/entities/shares/share.entity.ts': 'union',
  'libs/persistence/src/functions/audit-shares.ts': 'union',
  'libs/persistence/src/functions/content-changes.ts': 'offer',
  'libs/persistence/src/functions/deliveries.ts': 'offer',
  'libs/persistence/src/functions/group-shares.ts': 'group',
  'libs/persistence/src/functions/pushes.ts': 'mount',
  'libs/persistence/src/functions/reshares.ts': 'mount',
  'libs/persistence/src/functions/shares.ts': 'offer',
  'libs/persistence/src/repositories/accounts/account-end-statements.ts': 'account',
  'libs/persistence/src/repositories/accounts/account.repository.ts': 'account',
  'libs/persistence/src/repositories/accounts/group.repository.ts': 'account',
  'libs/persistence/src/repositories/accounts/mail-outbox-statements.ts': 'link',
  'libs/persistence/src/repositories/accounts/memberships.ts': 'group',
  'libs/persistence/src/repositories/accounts/notification.repository.ts': 'mount',
  'libs/persistence/src/repositories/deliveries/decided-deliveries.ts': 'offer',
  'libs/persistence/src/repositories/deliveries/delivery-statements.ts': 'offer',
  'libs/persistence/src/repositories/files/author-sql.ts': 'link',
  'libs/persistence/src/repositories/files/mount-placement.repository.ts': 'mount',
  'libs/persistence/src/repositories/files/mount-sql.ts': 'mount',
  'libs/persistence/src/repositories/files/node-write-statements.ts': 'link',
  'libs/persistence/src/repositories/files/place-statements.ts': 'link',
  'libs/persistence/src/repositories/files/push-audience.repository.ts': 'mount',
  'libs/persistence/src/repositories/files/remote-node-statements.ts': 'link',
  'libs/persistence/src/repositories/files/trash-statements.ts': 'link',
  'libs/persistence/src/repositories/operation/call-budget.repository.ts': 'offer',
  'libs/persistence/src/repositories/partners/notice-partner.repository.ts': 'offer',
  'libs/persistence/src/repositories/partners/peer-rename-statements.ts': 'offer',
  'libs/persistence/src/repositories/shares/coverage-sql.ts': 'mount',
  'libs/persistence/src/repositories/shares/expiring-share.repository.ts': 'mount',
  'libs/persistence/src/repositories/shares/federated-share-writer.ts': 'union',
  'libs/persistence/src/repositories/shares/group-fan-out-statements.ts': 'group',
  'libs/persistence/src/repositories/shares/group-recipient.repository.ts': 'group',
  'libs/persistence/src/repositories/shares/inbox-share.repository.ts': 'offer',
  'libs/persistence/src/repositories/shares/new-share-values.ts': 'union',
  'libs/persistence/src/repositories/shares/offer-arrival.ts': 'offer',
  'libs/persistence/src/repositories/shares/partner-share.repository.ts': 'offer',
  'libs/persistence/src/repositories/shares/public-link.repository.ts': 'link',
  'libs/persistence/src/repositories/shares/share-administration.repository.ts': 'union',
  'libs/persistence/src/repositories/shares/share-event-effects.ts': 'mount',
  'libs/persistence/src/repositories/shares/share-row.ts': 'union',
  'libs/persistence/src/repositories/shares/share-statements.ts': 'mount',
  'libs/persistence/src/repositories/shares/share-write-statements.ts': 'offer',
  'libs/persistence/src/repositories/shares/share.repository.ts': 'union',
  'libs/persistence/src/repositories/shares/unanswered-share.repository.ts': 'offer',
  'libs/sharing/src/domain/share.ts': 'union',
  'libs/sharing/src/domain/sharees.ts': 'wire',
  'libs/sharing/src/ports/ports.ts': 'union',
  'libs/sharing/src/use-cases/share-views.ts': 'mount',
};

const sources = globSync(join(ROOT, '{apps,libs}/**/*.ts'), {
  exclude: (name) => name.includes('node_modules'),
})
  .map((file) => ({ file: relative(ROOT, file), text: readFileSync(file, 'utf8') }))
  .filter(({ file }) => !OWN_PLACES.test(file));

describe('types of shares', () => {
  it('appear outside of their descriptors only with a listed reason', () => {
    const named = sources.filter(({ text }) =>
      /\bSHARE_TYPES\b/.test(text.replace(/^ {2}SHARE_TYPES,$/gm, '')),
    );
    const files = named.map(({ file }) => file).filter((file) => file !== 'libs/sharing/src/index.ts');
    expect(files.sort()).toEqual(Object.keys(NAMED).sort());
  });

  it('are not plain numbers in SQL', () => {
    const LITERAL = /share_type\)?\s*(=|<>|IN|WHEN|= ANY|BETWEEN)\s*\(?\s*'?\d/;
    const literal = sources.filter(({ text }) => LITERAL.test(text));
    expect(literal.map(({ file }) => file)).toEqual([]);
    expect(LITERAL.test("CASE s.share_type WHEN 3 THEN 'visitor' END")).toBe(true);
  });
});
