import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { tarArchive } from './tar-archive';

const LISTING = `
import io, json, sys, tarfile
archive = tarfile.open(fileobj=io.BytesIO(sys.stdin.buffer.read()))
print(json.dumps([[entry.name, int(entry.mtime)] for entry in archive.getmembers()]))`;

it('has the times of all entries, also those that the header of an entry cannot hold', async () => {
  const times = ['1601-01-01', '1969-12-31', '1970-01-01', '2026-02-03', '2038-01-20', '2100-01-01'];
  const entries = times.flatMap((time) => [
    { name: `folder of ${time}`, mtime: new Date(time) },
    {
      name: `file of ${time}`,
      mtime: new Date(time),
      content: { size: 1, body: Readable.from([Buffer.from('x')]) },
    },
  ]);
  const input = await buffer(tarArchive(Readable.from(entries)));
  const listed = execFileSync('python3', ['-c', LISTING], { input, encoding: 'utf8' });
  expect(JSON.parse(listed)).toEqual(entries.map(({ name, mtime }) => [name, mtime.getTime() / 1000]));
});
