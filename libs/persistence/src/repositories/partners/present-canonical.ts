/**
 * The canonical cloud id `canonical` at the host of the partner `peer`, in SQL. An id that is written with an earlier host of the
 * partner is stored with the present one, so that a person has one id.
 */
export const presentCanonical = (canonical: string, peer: string): string =>
  `regexp_replace(${canonical}, '[^@]*$', ${peer}.host_key)`;
