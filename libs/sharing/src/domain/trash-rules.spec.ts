import { goesPastTrash } from './trash-rules';

const RULES = { extensions: ['dat', 'PHP'], folders: ['scratch'], largestBytes: 10 };
const file = (path: string, size = 1) => ({ path, size, kind: 'file' }) as const;
const folder = (path: string) => ({ path, size: 100, kind: 'folder' }) as const;

it.each([
  file('/a.dat'),
  file('/docs/a.DAT'),
  file('/a.php'),
  file('/a.txt', 11),
  file('/scratch/a.txt'),
  folder('/scratch'),
  folder('/scratch/below'),
])('removes for good: %o', (deletion) => {
  expect(goesPastTrash(RULES, deletion)).toBe(true);
});

it.each([
  file('/a.txt'),
  file('/dat'),
  file('/a.dat.txt'),
  file('/a.txt', 10),
  file('/scratch'),
  file('/Scratch/a.txt'),
  file('/docs/scratch/a.txt'),
  folder('/docs.dat'),
  folder('/docs'),
])('keeps: %o', (deletion) => {
  expect(goesPastTrash(RULES, deletion)).toBe(false);
});

it('keep everything by default', () => {
  const none = { extensions: [], folders: [], largestBytes: 0 };
  for (const deletion of [file('/a.dat', 1e9), folder('/scratch'), file('/no-extension')])
    expect(goesPastTrash(none, deletion)).toBe(false);
});
