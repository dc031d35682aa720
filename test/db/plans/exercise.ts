import { emptyPostSearch, exerciseCatalog } from "./exercises/catalog.ts";
import { exerciseCustomers } from "./exercises/customers.ts";
import { exercisePush } from "./exercises/push.ts";
import { exerciseUpkeep } from "./exercises/upkeep.ts";
import { type Recorder, startRecorder } from "./recorder.ts";
import { startWorld } from "./world.ts";

/** Makes the application run every statement it has, on a database at the limits of the plans. */
export async function exerciseAll(): Promise<Recorder> {
  const recorder = startRecorder();
  try {
    const world = await startWorld();
    await exerciseCatalog(world);
    await exerciseCustomers(world);
    await exercisePush(world);
    await exerciseUpkeep(world);
    await emptyPostSearch(world);
    await world.appliance.close();
    return recorder;
  } finally {
    recorder.stop();
  }
}
