import type { Share } from './ocs';

/** Proofs that a share can demand from people who open it; links can also demand an account. */
export type Demand = 'none' | 'account' | 'second-factor';

const SCOPE = 'authentication';

/** The attributes with which a share is made or changed. */
export const attributesOf = (demand: Demand): string =>
  JSON.stringify(demand === 'none' ? [] : [{ scope: SCOPE, key: demand, enabled: true }]);

/** The demand in a share's record. */
export function demandOf({ attributes }: Share): Demand {
  const list = JSON.parse(attributes || '[]') as { scope: string; key: string; enabled: unknown }[];
  const keys = list.filter(({ scope, enabled }) => scope === SCOPE && enabled === true).map(({ key }) => key);
  if (keys.includes('second-factor')) return 'second-factor';
  return keys.includes('account') ? 'account' : 'none';
}
