import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { EICAR, startClamd, type TestClamd } from '../../libs/testing/src/rigs/clamd';
import { ClientWorld } from './client-world';
import { describeWith } from './programs';
import { SyncDevice, type SyncProgram } from './sync-device';

const CLEAN = 'there is nothing in it';

/** Sets the time of files to a number of seconds ago. */
function date({ folder }: SyncDevice, names: readonly string[], secondsAgo: number): void {
  const time = Date.now() / 1000 - secondsAgo;
  for (const name of names) utimesSync(join(folder, name), time, time);
}

let clamd: TestClamd;
let world: ClientWorld;

describeWith(['clamd', 'owncloudcmd', 'nextcloudcmd'], 'a finding of the scanner', () => {
  beforeAll(async () => {
    clamd = await startClamd();
    world = await ClientWorld.start({ SCANNER: clamd.address });
    await world.sharing.addUser('alice');
    await world.sharing.set('files_antivirus', 'scan_uploads_of', 'everybody');
  }, 300_000);
  afterAll(async () => {
    await world?.stop();
    await clamd?.stop();
  });

  it.each<SyncProgram>(['owncloudcmd', 'nextcloudcmd'])(
    'is reported by %s, which sends all other files and changes neither side',
    async (program) => {
      const [changed, fresh, beside] = ['changed', 'fresh', 'beside'].map((name) => `${program}-${name}.txt`);
      const device = SyncDevice.in(world, program);
      device.write(changed!, CLEAN);
      date(device, [changed!], 60);
      await device.sync();

      device.write(changed!, `${CLEAN}, but for ${EICAR}`);
      device.write(fresh!, EICAR);
      device.write(beside!, CLEAN);
      date(device, [changed!, fresh!], 30);
      await device.sync().catch((failure: unknown) => expect(String(failure)).toContain('ended with 1'));
      expect(await world.text('alice', `/${changed}`)).toBe(CLEAN);
      expect(await world.text('alice', `/${beside}`)).toBe(CLEAN);
      expect((await world.dav('alice', 'GET', `/${fresh}`)).status).toBe(404);
      expect([device.read(changed!), device.read(fresh!)]).toEqual([`${CLEAN}, but for ${EICAR}`, EICAR]);

      device.write(changed!, `${CLEAN} again, as they saw`);
      device.write(fresh!, `${CLEAN} either`);
      // The clients ignore a refused file until its time changes by at least a second.
      date(device, [changed!, fresh!], 10);
      await device.sync();
      expect(await world.text('alice', `/${changed}`)).toBe(`${CLEAN} again, as they saw`);
      expect(await world.text('alice', `/${fresh}`)).toBe(`${CLEAN} either`);
      expect(await world.transfersOf(() => device.sync())).toEqual([]);
    },
  );
});
