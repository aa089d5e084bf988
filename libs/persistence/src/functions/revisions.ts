/**
 * Digest of the SQL of each subject, and its number of forms: a process with a lower number leaves the database unchanged.
 * Written by `npm run generate`.
 */
export const REVISIONS: Readonly<Record<string, { readonly revision: number; readonly digest: string }>> = {
  'audit-log': { revision: 6, digest: '69acfc47f5fcf2934e9f08f9f5d4074a' },
  freshness: { revision: 10, digest: '94546a705c0d3df08b43f58c5e32d1b8' },
  accounts: { revision: 2, digest: '426b3eb8a1bf4d2305b315c08eb4b25f' },
  files: { revision: 12, digest: '370e6c0612c1d272d1c20182931bffab' },
  partners: { revision: 2, digest: '733e21b15fce93f89e8c784b0c9ce154' },
  'received-shares': { revision: 5, digest: '5df40ce945d1e5cca3c86cd83c954011' },
  reshares: { revision: 14, digest: 'fe6652fc56fbd7378ca1bbff9e4c894c' },
  shares: { revision: 7, digest: '1e573971e7c7260234ad62adabc36594' },
  'group-shares': { revision: 6, digest: 'f00fd0315c331e30e78aef1d60a60f0c' },
  deliveries: { revision: 10, digest: '0760207400d9e79dc363275b7afc162a' },
  'content-changes': { revision: 3, digest: '523d87c6281b7c9565ffb6c0cc2c84b3' },
  pushes: { revision: 4, digest: 'd4d7da39f56d681be0baf6de5d047b10' },
  'audit-shares': { revision: 4, digest: '4f7304dc9a7c6705f453adc21cc295e3' },
  'audit-partners': { revision: 4, digest: '243e68d75ff4addf3c9cae39e953ea35' },
  'audit-accounts': { revision: 8, digest: '42bbf5318a7971a1172161ba4aa5be7b' },
};
