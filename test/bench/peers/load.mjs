// What the peers are given to do: jobs with what a call has to say, by the number of it.
export const payload = (index) => ({
  phone_number: `+1415${2_000_000 + (index % 7_000_000)}`,
  contact: { name: "Grace Hopper", external_id: `crm-${index}` },
  variables: { topic: "your visit on Tuesday", visits: 3, urgent: true },
  metadata: { campaign: "spring", order: { id: index, lines: ["a", "b"] } }
})

export const range = (count) => Array.from({ length: count }, (_, index) => index)

/** Runs `work` for every index, so many at a time. */
export const inFlight = async (count, most, work) => {
  let next = 0
  await Promise.all(
    range(most).map(async () => {
      while (next < count) await work(next++)
    })
  )
}

/** The rate of what `work` does `count` times. */
export const rate = async (count, work) => {
  const start = performance.now()
  await work()
  return count / ((performance.now() - start) / 1000)
}

/** `work` for every thousand. */
export const inThousands = async (count, work) => {
  for (let from = 0; from < count; from += 1000) await work(range(Math.min(1000, count - from)).map((n) => from + n))
}

/** The millisecond that so many percent of the values stay below. */
export const percentile = (values, percent) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor((values.length * percent) / 100))]

export const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis))
