/** Grey lines where data will stand. Screen readers hear that it loads. */
import { useTexts } from "../texts/Language.tsx"

export const Skeleton = ({ lines = 3 }: { readonly lines?: number }) => {
  const { common } = useTexts()
  return (
    <div className="stack tight" role="status">
      <span className="hidden-visually">{common.loading}</span>
      {Array.from(
        { length: lines },
        (_, line) => <span key={line} className="skeleton" style={{ width: `${100 - (line % 3) * 18}%` }} />
      )}
    </div>
  )
}
