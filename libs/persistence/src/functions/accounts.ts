/** The search of accounts and groups. The planner has to know that the function costs more than usual, so that it avoids to call it for each row. */
export const ACCOUNTS = `
CREATE OR REPLACE FUNCTION search_trigrams(sought text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
  SELECT coalesce(array_agg(DISTINCT substr(sought, i, 3)), '{}') FROM generate_series(1, char_length(sought) - 2) AS i
$$;
`;
