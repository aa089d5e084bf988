/**
 * The canonical cloud id `canonical` at the host of the partner `peer`, in SQL. An id that is written with an earlier host of the
 * partner is stored with the present one, so that a person has one id.
 */
export const presentCanonical = (canonical: string, peer: string): string =>
  `regexp_replace(${canonical}, '[^@]*$', ${peer}.host_key)`;

/** The canonical cloud id under which a person is stored, in SQL, for an id that may have an earlier host of a partner. */
export const storedCanonical = (canonical: string): string =>
  `coalesce((SELECT ${presentCanonical(canonical, 'present')} FROM peer named JOIN peer present ON present.id = named.alias_of
     WHERE named.host_key = substring(${canonical} FROM '[^@]*$')), ${canonical})`;
