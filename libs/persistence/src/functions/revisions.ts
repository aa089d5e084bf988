/**
 * Digest of the SQL of each subject, and its number of forms: a process with a lower number leaves the database unchanged.
 * Written by `npm run generate`.
 */
export const REVISIONS: Readonly<Record<string, { readonly revision: number; readonly digest: string }>> = {
  'audit-log': { revision: 4, digest: '750ac9528c232fb29794d3806b1ecef1' },
  freshness: { revision: 10, digest: '94546a705c0d3df08b43f58c5e32d1b8' },
  accounts: { revision: 2, digest: '426b3eb8a1bf4d2305b315c08eb4b25f' },
  files: { revision: 2, digest: 'fe2c8493d1882183a5c240e5e1da01c6' },
  partners: { revision: 1, digest: '946e37b0ab3aebf35f45372000de9b4a' },
  'received-shares': { revision: 4, digest: '03f8a05bbb3d37f3116ff28c4c595ca1' },
  reshares: { revision: 6, digest: '2ae2556c5a9daa1e3fc53dbe040f9beb' },
  shares: { revision: 4, digest: '60f9ea9592e869def7941417dbcfcfd8' },
  'group-shares': { revision: 2, digest: '8b0decc46138a4ad69001f9b56bd1d31' },
  deliveries: { revision: 6, digest: '12ef94286fd5fbf820e26cb15233b6f6' },
  'content-changes': { revision: 3, digest: '523d87c6281b7c9565ffb6c0cc2c84b3' },
  pushes: { revision: 4, digest: 'd4d7da39f56d681be0baf6de5d047b10' },
  'audit-shares': { revision: 4, digest: '4f7304dc9a7c6705f453adc21cc295e3' },
  'audit-partners': { revision: 4, digest: '243e68d75ff4addf3c9cae39e953ea35' },
  'audit-accounts': { revision: 8, digest: '42bbf5318a7971a1172161ba4aa5be7b' },
};
