import { CURRENT_FORMS } from '.';

const FUNCTION = /FUNCTION (\w+)\([^$]*?LANGUAGE sql\b[^$]*AS \$\$(.*?)\$\$/gs;
const READS_TABLE = /\b(?:FROM|JOIN|INTO|UPDATE)\s+(?!generate_series\b)[a-z_]+/;

const functionsInSql = CURRENT_FORMS.flatMap(({ functions }) => [...functions.matchAll(FUNCTION)]).map(
  ([, name, body]) => ({ name: name!, body: body! }),
);

describe('functions of the database', () => {
  it('in SQL, which are planned for each transaction, read no table', () => {
    expect(functionsInSql.map(({ name }) => name)).toEqual([
      'audit_acting',
      'audit_bounded',
      'search_trigrams',
      'peer_host',
      'audit_share_facts',
    ]);
    expect(functionsInSql.filter(({ body }) => READS_TABLE.test(body)).map(({ name }) => name)).toEqual([]);
  });
});
