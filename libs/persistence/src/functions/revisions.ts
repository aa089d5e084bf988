/**
 * Digest of the SQL of each subject, and how many forms it has had: a process whose number is lower leaves the database as it is.
 * Written by `npm run generate`.
 */
export const REVISIONS: Readonly<Record<string, { readonly revision: number; readonly digest: string }>> = {
  'audit-log': { revision: 3, digest: 'cb98147ba00870710704ec32aa9c0d7f' },
  freshness: { revision: 6, digest: '8a86371f503b2c588c0a21b6e8cf5953' },
  accounts: { revision: 1, digest: '78c7d864b21f7ca5cc1ba68bb67ebbb3' },
  files: { revision: 1, digest: 'ed3654726ad119e52552482e28cc536b' },
  partners: { revision: 1, digest: '946e37b0ab3aebf35f45372000de9b4a' },
  'received-shares': { revision: 3, digest: '7535980f2e32424e4674f6be3aeb36f2' },
  reshares: { revision: 4, digest: '026fbd12f58d61c1e5e9050a4b5e0dcf' },
  shares: { revision: 2, digest: '92f57caff4f3b3425fc03117265c25d4' },
  deliveries: { revision: 4, digest: '02ce54c489f35f8bf59f3f10e7719150' },
  'content-changes': { revision: 2, digest: 'c75eaf0bef96d56b843e6e64b2b5cc88' },
  pushes: { revision: 1, digest: '413f75b697b1b05cabe00e993155dbf0' },
  'audit-shares': { revision: 3, digest: '3501ef0c85976aa00283ee82221f6de9' },
  'audit-partners': { revision: 3, digest: '5b2f1851044220f0eb69c4eb10a559b1' },
  'audit-accounts': { revision: 7, digest: '31a1313a00e84eeceb8c0d0524f4a1c4' },
};
