import { array, int8, text } from './postgres-types';
import { queryOf, statement } from './statement';

describe('a statement', () => {
  it('has the positional parameters of Postgres, numbered as they are declared', () => {
    const { text: sql, order } = statement({
      name: 'spec.positions',
      params: { uid: text, ids: array(int8) },
      sql: 'SELECT :ids::bigint[], :uid, :ids',
    });
    expect({ sql, order }).toEqual({ sql: 'SELECT $2::bigint[], $1, $2', order: ['uid', 'ids'] });
  });

  it('that is planned once has its values in queries of their own', () => {
    const { text: sql } = statement({
      name: 'spec.planned-once',
      params: { uid: text, ids: array(int8) },
      sql: 'SELECT :uid WHERE 1 = ANY(:ids)',
      plannedOnce: true,
    });
    expect(sql).toBe('SELECT (SELECT $1::text)::text WHERE 1 = ANY((SELECT $2::bigint[])::bigint[])');
  });

  it('keeps colons in literals, quoted names, comments and casts', () => {
    const sql = `SELECT ':a', 'it''s :b', ":c", 1::text -- :d`;
    expect(statement({ name: 'spec.colons', sql }).text).toBe(sql);
  });

  it('is run with its values in the order of their positions', () => {
    const both = statement({ name: 'spec.values', params: { a: text, b: text }, sql: 'SELECT :b, :a' });
    expect(queryOf(both, { b: 'second', a: 'first' })).toEqual({
      name: 'spec.values',
      text: 'SELECT $2, $1',
      values: ['first', 'second'],
    });
  });

  it('cannot have a taken name', () => {
    statement({ name: 'spec.taken', sql: 'SELECT 1' });
    expect(() => statement({ name: 'spec.taken', sql: 'SELECT 2' })).toThrow('spec.taken is declared twice');
  });

  it('names no parameter that it does not declare', () => {
    const declaration = { name: 'spec.undeclared', params: {}, sql: 'SELECT :uid' };
    expect(() => statement(declaration)).toThrow('spec.undeclared does not declare :uid');
  });

  it('declares no parameter that it does not use', () => {
    const declaration = { name: 'spec.unused', params: { uid: text }, sql: 'SELECT 1' };
    expect(() => statement(declaration)).toThrow('spec.unused does not use :uid');
  });
});
