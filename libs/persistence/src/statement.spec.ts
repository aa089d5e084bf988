import { statement } from './statement';

describe('a statement', () => {
  it('has its name and text', () => {
    expect(statement('spec.one', 'SELECT 1')).toEqual({ name: 'spec.one', text: 'SELECT 1' });
  });

  it('cannot have a name that is taken', () => {
    statement('spec.taken', 'SELECT 1');
    expect(() => statement('spec.taken', 'SELECT 2')).toThrow('spec.taken is declared twice');
  });
});
