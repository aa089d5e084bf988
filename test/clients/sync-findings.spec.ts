import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { EICAR, startClamd, type TestClamd } from '../../libs/testing/src/rigs/clamd';
import { ClientWorld } from './client-world';
import { describeWith } from './programs';
import { SyncDevice, type SyncProgram } from './sync-device';

const CLEAN = 'there is nothing in it';

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
    'is told by %s, which sends everything else and keeps both sides as they were',
    async (program) => {
      const [changed, fresh, beside] = ['changed', 'fresh', 'beside'].map((name) => `${program}-${name}.txt`);
      const device = SyncDevice.in(world, program);
      device.write(changed!, CLEAN);
      await device.sync();

      device.write(changed!, `${CLEAN}, but for ${EICAR}`);
      device.write(fresh!, EICAR);
      device.write(beside!, CLEAN);
      await device.sync().catch((failure: unknown) => expect(String(failure)).toContain('ended with 1'));
      expect(await world.text('alice', `/${changed}`)).toBe(CLEAN);
      expect(await world.text('alice', `/${beside}`)).toBe(CLEAN);
      expect((await world.dav('alice', 'GET', `/${fresh}`)).status).toBe(404);
      expect([device.read(changed!), device.read(fresh!)]).toEqual([`${CLEAN}, but for ${EICAR}`, EICAR]);

      device.write(changed!, `${CLEAN} again, as they saw`);
      device.write(fresh!, `${CLEAN} either`);
      // The clients leave a file alone that was refused until it is of another second.
      const later = Date.now() / 1000 + 5;
      for (const name of [changed!, fresh!]) utimesSync(join(device.folder, name), later, later);
      await device.sync();
      expect(await world.text('alice', `/${changed}`)).toBe(`${CLEAN} again, as they saw`);
      expect(await world.text('alice', `/${fresh}`)).toBe(`${CLEAN} either`);
      expect(await world.transfersOf(() => device.sync())).toEqual([]);
    },
  );
});
