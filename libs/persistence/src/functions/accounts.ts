/** The search of accounts and groups. */
export const ACCOUNTS = `
CREATE OR REPLACE FUNCTION search_trigrams(sought text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT substr(sought, i, 3)), '{}') FROM generate_series(1, char_length(sought) - 2) AS i
$$;
`;
