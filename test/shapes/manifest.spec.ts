import { captureGroups, captureNames } from './capture';
import { MANIFEST } from './manifest';

describe('the manifest of recorded exchanges', () => {
  it('has every group', () => {
    expect(Object.keys(MANIFEST).sort()).toEqual(captureGroups());
  });

  it.each(Object.keys(MANIFEST))(
    'lists each recording of %s once, and no recording that does not exist',
    (group) => {
      const { compared, exempt } = MANIFEST[group]!;
      expect([...compared, ...Object.values(exempt).flat()].sort()).toEqual(captureNames(group));
    },
  );

  it.each(Object.keys(MANIFEST))('has a reason for the exempt recording of %s', (group) => {
    for (const reason of Object.keys(MANIFEST[group]!.exempt)) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  });
});
