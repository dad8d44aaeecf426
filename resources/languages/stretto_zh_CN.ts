<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Stretto</name>
    <message>
        <source>The chats are closed.</source>
        <translation>对话已关闭。</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Recovered chat</source>
        <translation>恢复的对话</translation>
    </message>
    <message numerus="yes">
        <source>%n change couldn’t be saved. {why}</source>
        <comment>%n changes couldn’t be saved. {why}</comment>
        <translation>
            <numerusform>%n 项更改无法保存。{why}</numerusform>
        </translation>
    </message>
    <message>
        <source>{server} refused: {why}</source>
        <translation>{server} 拒绝：{why}</translation>
    </message>
    <message>
        <source>{server} didn’t start within {seconds} s.</source>
        <translation>{server} 在 {seconds} 秒内没有启动。</translation>
    </message>
    <message>
        <source>{server} couldn’t be reached: {why}</source>
        <translation>无法连接 {server}：{why}</translation>
    </message>
    <message>
        <source>The program “{program}” wasn’t found. Install it, or enter its full path.</source>
        <translation>找不到程序“{program}”。请安装该程序，或输入其完整路径。</translation>
    </message>
    <message>
        <source>New file {path}</source>
        <translation>新文件 {path}</translation>
    </message>
    <message>
        <source>Links aren’t followed.</source>
        <translation>不跟随链接。</translation>
    </message>
    <message>
        <source>It couldn’t be opened: {why}.</source>
        <translation>无法打开：{why}。</translation>
    </message>
    <message>
        <source>The server has no name. Write it as {&quot;name&quot;: {&quot;command&quot;: …}}.</source>
        <translation>服务器没有名称。请写成 {&quot;name&quot;: {&quot;command&quot;: …}}。</translation>
    </message>
    <message>
        <source>its name looks like that of “{other}”</source>
        <translation>名称看起来与“{other}”相同</translation>
    </message>
    <message>
        <source>{path} couldn’t be read: {why}.</source>
        <translation>无法读取 {path}：{why}。</translation>
    </message>
    <message>
        <source>New message</source>
        <translation>新消息</translation>
    </message>
    <message>
        <source>Compare…  Ctrl+Alt+C</source>
        <translation>对比…  Ctrl+Alt+C</translation>
    </message>
    <message>
        <source>Editing a queued message.</source>
        <translation>正在编辑排队中的消息。</translation>
    </message>
    <message>
        <source>Broadcast  Ctrl+Shift+B</source>
        <translation>群发  Ctrl+Shift+B</translation>
    </message>
    <message>
        <source>Join Broadcast  Ctrl+Alt+B</source>
        <translation>加入群发  Ctrl+Alt+B</translation>
    </message>
    <message>
        <source>Message…</source>
        <translation>消息…</translation>
    </message>
    <message>
        <source>Enter</source>
        <comment>the key</comment>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Stop  Esc</source>
        <translation>停止  Esc</translation>
    </message>
    <message>
        <source>Send  {keys}</source>
        <translation>发送  {keys}</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message numerus="yes">
        <source>The text is %Ln characters long. A message takes {most}.</source>
        <comment>The text is %Ln characters long. A message takes {most}.</comment>
        <translation>
            <numerusform>文本有 %Ln 个字符。一条消息最多 {most} 个。</numerusform>
        </translation>
    </message>
    <message>
        <source>File {name}, {about}</source>
        <translation>文件 {name}，{about}</translation>
    </message>
    <message>
        <source>Restore from Backup</source>
        <translation>从备份恢复</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Close Tab</source>
        <translation>关闭标签页</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close Others</source>
        <translation>关闭其他标签页</translation>
    </message>
    <message>
        <source>Detach</source>
        <translation>移到新窗口</translation>
    </message>
    <message>
        <source>Unpin (Dock)</source>
        <translation>取消固定（停靠）</translation>
    </message>
    <message>
        <source>Minimize</source>
        <translation>最小化</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>已置顶</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>更早</translation>
    </message>
    <message>
        <source>dddd d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>yyyy年M月d日 dddd</translation>
    </message>
    <message>
        <source>dddd d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>M月d日 dddd</translation>
    </message>
    <message>
        <source>{size} · before an update</source>
        <translation>{size} · 更新前</translation>
    </message>
    <message>
        <source>Crash Report</source>
        <translation>崩溃报告</translation>
    </message>
    <message>
        <source>Stretto had a problem last time</source>
        <translation>Stretto 上次出现了问题</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Show File</source>
        <translation>显示文件</translation>
    </message>
    <message>
        <source>The report can’t be read: {error}</source>
        <translation>无法读取报告：{error}</translation>
    </message>
    <message>
        <source>Your chats can’t be read</source>
        <translation>无法读取你的对话</translation>
    </message>
    <message>
        <source>Stretto can’t write to your chats</source>
        <translation>Stretto 无法写入你的对话</translation>
    </message>
    <message>
        <source>The disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>The disk that holds {place} is full. Free some space, then try again.</source>
        <translation>{place} 所在的磁盘已满。请腾出一些空间，然后重试。</translation>
    </message>
    <message>
        <source>Your chats couldn’t be opened</source>
        <translation>无法打开你的对话</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Try Again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Start Empty and Keep the File</source>
        <translation>保留文件并从空白开始</translation>
    </message>
    <message>
        <source>Use Another Folder…</source>
        <translation>使用其他文件夹…</translation>
    </message>
    <message>
        <source>Use Another Folder</source>
        <translation>使用其他文件夹</translation>
    </message>
    <message>
        <source>Your latest changes aren’t saved</source>
        <translation>最新的更改尚未保存</translation>
    </message>
    <message>
        <source>Quit Without Saving</source>
        <translation>不保存并退出</translation>
    </message>
    <message>
        <source>About Stretto</source>
        <translation>关于 Stretto</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>版本 {version}</translation>
    </message>
    <message>
        <source>Licenses…</source>
        <translation>许可证…</translation>
    </message>
    <message>
        <source>Web page (HTML)</source>
        <translation>网页 (HTML)</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>纯文本</translation>
    </message>
    <message>
        <source>Export Chats</source>
        <translation>导出对话</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>复制为 Markdown</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Temperatures</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>{model} {kept} of {times}</source>
        <translation>{model} {kept}/{times}</translation>
    </message>
    <message>
        <source>Kept so far: {models}</source>
        <translation>目前保留的：{models}</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Seed {n}</source>
        <translation>种子 {n}</translation>
    </message>
    <message>
        <source>Temperature {value}</source>
        <translation>温度 {value}</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>There’s no chat to export yet.</source>
        <translation>还没有可导出的对话。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message numerus="yes">
        <source>{done} of %Ln chats</source>
        <comment>{done} of %Ln chats</comment>
        <translation>
            <numerusform>{done}/%Ln 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>The export failed: {name}.</source>
        <translation>导出失败：{name}。</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Import Chats</source>
        <translation>导入对话</translation>
    </message>
    <message>
        <source>Choose Files…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Choose Folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>The import failed: {why}.</source>
        <translation>导入失败：{why}。</translation>
    </message>
    <message>
        <source>Licenses</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>License</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Explain {{topic}} to {{audience}} in three sentences.</source>
        <translation>用三句话向{{audience}}解释{{topic}}。</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>新提示词</translation>
    </message>
    <message>
        <source>There’s no prompt to delete</source>
        <translation>没有可删除的提示词</translation>
    </message>
    <message>
        <source>A prompt needs a name. It is still called “{before}”.</source>
        <translation>提示词需要名称。名称仍为“{before}”。</translation>
    </message>
    <message>
        <source>Keyboard Shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>{command}: {keys}, changed. Change</source>
        <translation>{command}：{keys}，已更改。更改</translation>
    </message>
    <message>
        <source>{command}: {keys}. Change</source>
        <translation>{command}：{keys}。更改</translation>
    </message>
    <message>
        <source>none</source>
        <comment>no keys</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>In a chat</source>
        <translation>在对话中</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>设定</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>废纸篓</translation>
    </message>
    <message>
        <source>Deleted chats</source>
        <translation>已删除的对话</translation>
    </message>
    <message>
        <source>Delete Now</source>
        <translation>立即删除</translation>
    </message>
    <message>
        <source>Empty Trash</source>
        <translation>清空废纸篓</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Choose a chat first</source>
        <translation>请先选择一个对话</translation>
    </message>
    <message numerus="yes">
        <source>Deleted %n day ago</source>
        <comment>Deleted %n days ago</comment>
        <translation>
            <numerusform>%n 天前删除</numerusform>
        </translation>
    </message>
    <message>
        <source>Deleted yesterday</source>
        <translation>昨天删除</translation>
    </message>
    <message>
        <source>Deleted today</source>
        <translation>今天删除</translation>
    </message>
    <message>
        <source>Open Download Page</source>
        <translation>打开下载页面</translation>
    </message>
    <message>
        <source>Skip This Version</source>
        <translation>跳过此版本</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>以后再说</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>磁盘占用</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>In memory</source>
        <translation>内存占用</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Resource</source>
        <translation>资源</translation>
    </message>
    <message>
        <source>Not possible now: {why}</source>
        <translation>现在不可用：{why}</translation>
    </message>
    <message>
        <source>Found</source>
        <comment>the list of what was found</comment>
        <translation>结果</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>Up and Down choose, Enter opens, Esc closes</source>
        <translation>用上下键选择，按 Enter 打开，按 Esc 关闭</translation>
    </message>
    <message>
        <source>Edit Prompts…</source>
        <translation>编辑提示词…</translation>
    </message>
    <message>
        <source>Write a Prompt…</source>
        <translation>编写提示词…</translation>
    </message>
    <message>
        <source>Free text</source>
        <translation>自由文本</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>正则表达式</translation>
    </message>
    <message>
        <source>Schema</source>
        <translation>Schema</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>选项</translation>
    </message>
    <message numerus="yes">
        <source>{used} of {limit} tokens</source>
        <comment>{used} of {limit} tokens</comment>
        <translation>
            <numerusform>{used}/{limit} token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{used} of {limit} tokens of context</source>
        <comment>{used} of {limit} tokens of context</comment>
        <translation>
            <numerusform>上下文 {used}/{limit} token</numerusform>
        </translation>
    </message>
    <message>
        <source>Context: {words}</source>
        <translation>上下文：{words}</translation>
    </message>
    <message>
        <source>Shows four replies to one message, side by side</source>
        <translation>并排显示同一条消息的四条回复</translation>
    </message>
    <message>
        <source>Chat with {name}</source>
        <translation>与 {name} 对话</translation>
    </message>
    <message>
        <source>New Chat</source>
        <translation>新建对话</translation>
    </message>
    <message>
        <source>No chat is open</source>
        <translation>没有打开的对话</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Close  Esc</source>
        <translation>关闭  Esc</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number}/{count}</translation>
    </message>
    <message>
        <source>Queued until the reply ends. {keys} sends the first one now.</source>
        <translation>排队等待回复结束。按 {keys} 立即发送第一条。</translation>
    </message>
    <message>
        <source>Sends when “{file}” is ready. Esc cancels.</source>
        <translation>“{file}”就绪后发送。按 Esc 取消。</translation>
    </message>
    <message>
        <source>Message removed from the queue</source>
        <translation>已从队列中移除消息</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>取消加载</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>模型：{name}</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Not checked yet</source>
        <translation>尚未检查</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Not ready</source>
        <translation>未就绪</translation>
    </message>
    <message>
        <source>Testing. This takes a minute or more…</source>
        <translation>正在测试，需要一分钟或更长时间…</translation>
    </message>
    <message>
        <source>Starting {hosts}…</source>
        <translation>正在启动 {hosts}…</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>{bits}-bit, mixed</source>
        <translation>{bits} 位，混合</translation>
    </message>
    <message numerus="yes">
        <source>%n-bit weights</source>
        <comment>%n-bit weights</comment>
        <translation>
            <numerusform>%n 位权重</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day ago</source>
        <comment>%n days ago</comment>
        <translation>
            <numerusform>%n 天前</numerusform>
        </translation>
    </message>
    <message>
        <source>d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>Not loaded</source>
        <translation>未加载</translation>
    </message>
    <message numerus="yes">
        <source>%Ln model</source>
        <comment>%Ln models</comment>
        <translation>
            <numerusform>%Ln 个模型</numerusform>
        </translation>
    </message>
    <message>
        <source>{size} on disk</source>
        <translation>磁盘占用 {size}</translation>
    </message>
    <message>
        <source>draft model {name}</source>
        <translation>草稿模型 {name}</translation>
    </message>
    <message numerus="yes">
        <source>context %Ln token</source>
        <comment>context %Ln tokens</comment>
        <translation>
            <numerusform>上下文 %Ln token</numerusform>
        </translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>已置顶</translation>
    </message>
    <message>
        <source>in memory, {size}</source>
        <translation>内存占用 {size}</translation>
    </message>
    <message>
        <source>license {name}</source>
        <translation>许可证 {name}</translation>
    </message>
    <message>
        <source>used {when}</source>
        <translation>{when}使用过</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Unloaded</source>
        <translation>已卸载</translation>
    </message>
    <message>
        <source>Unloaded, loads when you send</source>
        <translation>已卸载，发送时加载</translation>
    </message>
    <message>
        <source>Loading {share}</source>
        <translation>正在加载 {share}</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>not loaded</source>
        <translation>未加载</translation>
    </message>
    <message>
        <source>Open Model Folder…</source>
        <translation>打开模型文件夹…</translation>
    </message>
    <message>
        <source>Manage Models…</source>
        <translation>管理模型…</translation>
    </message>
    <message>
        <source>Unload a Model…</source>
        <translation>卸载模型…</translation>
    </message>
    <message>
        <source>Extract Text</source>
        <translation>提取文字</translation>
    </message>
    <message>
        <source>Replace the images with the text in them, read by this computer</source>
        <translation>用这台电脑识别出的文字替换图片</translation>
    </message>
    <message>
        <source>Start Again</source>
        <translation>重新启动</translation>
    </message>
    <message>
        <source>{name} doesn’t fit in memory. {error}</source>
        <translation>内存放不下 {name}。{error}</translation>
    </message>
    <message>
        <source>{name} couldn’t be loaded. {error}</source>
        <translation>无法加载 {name}。{error}</translation>
    </message>
    <message>
        <source>Queued until the reply ends.</source>
        <translation>排队等待回复结束。</translation>
    </message>
    <message>
        <source>This reply was deleted.</source>
        <translation>此回复已被删除。</translation>
    </message>
    <message>
        <source>8-bit</source>
        <translation>8 位</translation>
    </message>
    <message>
        <source>4-bit</source>
        <translation>4 位</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>Remote</source>
        <comment>of a model that answers on another machine</comment>
        <translation>远程</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Waiting for {host}</source>
        <translation>正在等待 {host}</translation>
    </message>
    <message>
        <source>Waiting for {host}, {time}</source>
        <translation>正在等待 {host}，{time}</translation>
    </message>
    <message numerus="yes">
        <source>Message %n chat…</source>
        <comment>Message %n chats…</comment>
        <translation>
            <numerusform>向 %n 个对话发送消息…</numerusform>
        </translation>
    </message>
    <message>
        <source>Message {name}…</source>
        <translation>给 {name} 发消息…</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Attach Files</source>
        <translation>附加文件</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>附加</translation>
    </message>
    <message numerus="yes">
        <source>{count} tokens</source>
        <comment>{count} tokens</comment>
        <translation>
            <numerusform>{count} token</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about {count} tokens</source>
        <comment>about {count} tokens</comment>
        <translation>
            <numerusform>约 {count} token</numerusform>
        </translation>
    </message>
    <message>
        <source>No presets yet</source>
        <translation>还没有预设</translation>
    </message>
    <message>
        <source>Choose “Save as Preset…” to keep these settings</source>
        <translation>选择“存为预设…”可保留这些设置</translation>
    </message>
    <message>
        <source>Save as Preset…</source>
        <translation>存为预设…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Save as Preset</source>
        <translation>存为预设</translation>
    </message>
    <message>
        <source>Rename Preset</source>
        <translation>重命名预设</translation>
    </message>
    <message>
        <source>Preset “{name}” replaced</source>
        <translation>已替换预设“{name}”</translation>
    </message>
    <message>
        <source>Preset renamed to “{name}”</source>
        <translation>预设已重命名为“{name}”</translation>
    </message>
    <message>
        <source>Preset “{name}” deleted</source>
        <translation>已删除预设“{name}”</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>Typical-p</source>
        <translation>Typical-p</translation>
    </message>
    <message>
        <source>XTC probability</source>
        <translation>XTC 概率</translation>
    </message>
    <message>
        <source>XTC threshold</source>
        <translation>XTC 阈值</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>存在惩罚</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>频率惩罚</translation>
    </message>
    <message>
        <source>{name} can’t call tools.</source>
        <translation>{name} 无法调用工具。</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Allow Writing</source>
        <translation>允许写入</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>Add Folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>正在查找模型…</translation>
    </message>
    <message>
        <source>{name} has changed. Before: {before}
Now: {now}</source>
        <translation>{name} 已更改。之前：{before}
现在：{now}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token</source>
        <comment>%Ln tokens</comment>
        <translation>
            <numerusform>%Ln token</numerusform>
        </translation>
    </message>
    <message>
        <source>Pages of {name}</source>
        <translation>{name} 的页面</translation>
    </message>
    <message>
        <source>Page numbers</source>
        <translation>页码</translation>
    </message>
    <message>
        <source>Which pages does the model get?</source>
        <translation>向模型提供哪些页面？</translation>
    </message>
    <message>
        <source>Chosen Pages…</source>
        <translation>选择页面…</translation>
    </message>
    <message>
        <source>Slides of {name}</source>
        <translation>{name} 的幻灯片</translation>
    </message>
    <message>
        <source>Slide numbers</source>
        <translation>幻灯片编号</translation>
    </message>
    <message>
        <source>Which slides does the model get?</source>
        <translation>向模型提供哪些幻灯片？</translation>
    </message>
    <message>
        <source>Chosen Slides…</source>
        <translation>选择幻灯片…</translation>
    </message>
    <message>
        <source>Sheets of {name}</source>
        <translation>{name} 的工作表</translation>
    </message>
    <message>
        <source>Sheet numbers</source>
        <translation>工作表编号</translation>
    </message>
    <message>
        <source>Which sheets does the model get?</source>
        <translation>向模型提供哪些工作表？</translation>
    </message>
    <message>
        <source>Chosen Sheets…</source>
        <translation>选择工作表…</translation>
    </message>
    <message>
        <source>Chapters of {name}</source>
        <translation>{name} 的章节</translation>
    </message>
    <message>
        <source>Chapter numbers</source>
        <translation>章节编号</translation>
    </message>
    <message>
        <source>Which chapters does the model get?</source>
        <translation>向模型提供哪些章节？</translation>
    </message>
    <message>
        <source>Chosen Chapters…</source>
        <translation>选择章节…</translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln slide.</source>
        <comment>The file has %Ln slides.</comment>
        <translation>
            <numerusform>文件有 %Ln 张幻灯片。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln sheet.</source>
        <comment>The file has %Ln sheets.</comment>
        <translation>
            <numerusform>文件有 %Ln 张工作表。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln chapter.</source>
        <comment>The file has %Ln chapters.</comment>
        <translation>
            <numerusform>文件有 %Ln 章。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln page.</source>
        <comment>The file has %Ln pages.</comment>
        <translation>
            <numerusform>文件有 %Ln 页。</numerusform>
        </translation>
    </message>
    <message>
        <source>Text Encoding</source>
        <translation>文本编码</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Restart Now</source>
        <translation>立即重启</translation>
    </message>
    <message>
        <source>en</source>
        <comment>the code of this language: names of days and months are in it</comment>
        <translation>zh_CN</translation>
    </message>
    <message>
        <source>{number} s</source>
        <comment>seconds</comment>
        <translation>{number} 秒</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} 分 {seconds} 秒</translation>
    </message>
    <message>
        <source>{number} tok/s</source>
        <comment>tokens a second</comment>
        <translation>{number} tok/s</translation>
    </message>
    <message>
        <source>{number} GB</source>
        <translation>{number} GB</translation>
    </message>
    <message>
        <source>{number} MB</source>
        <translation>{number} MB</translation>
    </message>
    <message>
        <source>{number}%</source>
        <translation>{number}%</translation>
    </message>
    <message>
        <source>as JSON</source>
        <translation>JSON 格式</translation>
    </message>
    <message>
        <source>first token {time}</source>
        <comment>after this time</comment>
        <translation>首个 token {time}</translation>
    </message>
    <message numerus="yes">
        <source>Chats of %Ln token would fit.</source>
        <comment>Chats of %Ln tokens would fit.</comment>
        <translation>
            <numerusform>放得下 %Ln 个 token 的对话。</numerusform>
        </translation>
    </message>
    <message>
        <source>One chat would fit.</source>
        <translation>只放得下一个对话。</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>Tight</source>
        <comment>the memory</comment>
        <translation>紧张</translation>
    </message>
    <message>
        <source>Too large</source>
        <translation>太大</translation>
    </message>
    <message numerus="yes">
        <source>%n chat</source>
        <comment>%n chats</comment>
        <translation>
            <numerusform>%n 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} context</source>
        <translation>上下文 {tokens}</translation>
    </message>
    <message>
        <source>by {owner}</source>
        <translation>来自 {owner}</translation>
    </message>
    <message numerus="yes">
        <source>{count} download</source>
        <comment>{count} downloads</comment>
        <translation>
            <numerusform>{count} 次下载</numerusform>
        </translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>tools</source>
        <comment>after another word</comment>
        <translation>工具</translation>
    </message>
    <message numerus="yes">
        <source>%Ln download last month</source>
        <comment>%Ln downloads last month</comment>
        <translation>
            <numerusform>上月下载 %Ln 次</numerusform>
        </translation>
    </message>
    <message>
        <source>updated {date}</source>
        <translation>更新于 {date}</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>需授权</translation>
    </message>
    <message>
        <source>Using a tool</source>
        <translation>正在使用工具</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>New chats</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>Needs approval</source>
        <translation>需要批准</translation>
    </message>
    <message>
        <source>Waiting for your answer</source>
        <translation>等你答复</translation>
    </message>
    <message numerus="yes">
        <source>Queued, %n before it</source>
        <comment>Queued, %n before it</comment>
        <translation>
            <numerusform>排队中，前面有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Waiting for memory</source>
        <translation>等待内存</translation>
    </message>
    <message numerus="yes">
        <source>Waiting for memory, %n chat before it</source>
        <comment>Waiting for memory, %n chats before it</comment>
        <translation>
            <numerusform>等待内存，前面有 %n 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading {percent}</source>
        <translation>读取中 {percent}</translation>
    </message>
    <message>
        <source>Reading {done} of {total} tokens</source>
        <translation>正在读取 {done}/{total} 个 token</translation>
    </message>
    <message>
        <source>Writing</source>
        <comment>a chat is writing its answer</comment>
        <translation>正在回复</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>思考了 {time}</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <comment>milliseconds</comment>
        <translation>{number} 毫秒</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <comment>sizes</comment>
        <translation>{done}/{total}</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <comment>per second</comment>
        <translation>{size}/秒</translation>
    </message>
    <message>
        <source>{time} left</source>
        <comment>until it is downloaded</comment>
        <translation>剩余 {time}</translation>
    </message>
    <message>
        <source>Converting…</source>
        <translation>正在转换…</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours} 小时 {minutes} 分钟</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Slide {number}</source>
        <translation>第 {number} 张幻灯片</translation>
    </message>
    <message>
        <source>Sheet {number}</source>
        <translation>第 {number} 张工作表</translation>
    </message>
    <message>
        <source>Chapter {number}</source>
        <translation>第 {number} 章</translation>
    </message>
    <message>
        <source>Page {number}</source>
        <translation>第 {number} 页</translation>
    </message>
    <message>
        <source>Use Without Adapter</source>
        <translation>不用适配器</translation>
    </message>
    <message>
        <source>Edit Message</source>
        <translation>编辑消息</translation>
    </message>
    <message>
        <source>Copy Code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>version {number} of {count}</source>
        <translation>版本 {number}/{count}</translation>
    </message>
    <message>
        <source>From reply {letter}. Enter shows it.</source>
        <translation>来自回复 {letter}。按 Enter 显示。</translation>
    </message>
    <message>
        <source>Link, {words}. Enter opens it.</source>
        <translation>链接，{words}。按 Enter 打开。</translation>
    </message>
    <message numerus="yes">
        <source>Code, {language}, %Ln line. Enter copies it.</source>
        <comment>Code, {language}, %Ln lines. Enter copies it.</comment>
        <translation>
            <numerusform>代码，{language}，%Ln 行。按 Enter 复制。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Code, %Ln line. Enter copies it.</source>
        <comment>Code, %Ln lines. Enter copies it.</comment>
        <translation>
            <numerusform>代码，%Ln 行。按 Enter 复制。</numerusform>
        </translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>{tool} needs your input</source>
        <translation>{tool} 需要你输入</translation>
    </message>
    <message>
        <source>Allow Once</source>
        <translation>允许一次</translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>The server asked: {question}
You declined.</source>
        <translation>服务器询问：{question}
你已拒绝。</translation>
    </message>
    <message>
        <source>tool</source>
        <translation>工具</translation>
    </message>
    <message numerus="yes">
        <source>%Ln character</source>
        <comment>%Ln characters</comment>
        <translation>
            <numerusform>%Ln 个字符</numerusform>
        </translation>
    </message>
    <message>
        <source>{tool} · Stopped</source>
        <translation>{tool} · 已停止</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <translation>{number} 毫秒</translation>
    </message>
    <message numerus="yes">
        <source>{kept} of %Ln characters</source>
        <comment>{kept} of %Ln characters</comment>
        <translation>
            <numerusform>{kept}/%Ln 个字符</numerusform>
        </translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>你的消息</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Broadcast is off</source>
        <translation>群发已关闭</translation>
    </message>
    <message>
        <source>Broadcast is on. To include a remote chat, choose “{command}” in it.</source>
        <translation>群发已开启。要包含远程对话，请在其中选择“{command}”。</translation>
    </message>
    <message>
        <source>Broadcast is on. Open another chat next to this one.</source>
        <translation>群发已开启。请在旁边再打开一个对话。</translation>
    </message>
    <message>
        <source>Split Right</source>
        <translation>向右拆分</translation>
    </message>
    <message>
        <source>Split Down</source>
        <translation>向下拆分</translation>
    </message>
    <message>
        <source>Close Chat</source>
        <translation>关闭对话</translation>
    </message>
    <message>
        <source>Chat closed</source>
        <translation>已关闭对话</translation>
    </message>
    <message>
        <source>Stop All Replies</source>
        <translation>停止所有回复</translation>
    </message>
    <message>
        <source>Open Model Folder</source>
        <translation>打开模型文件夹</translation>
    </message>
    <message>
        <source>Open GGUF File…</source>
        <translation>打开 GGUF 文件…</translation>
    </message>
    <message>
        <source>GGUF files</source>
        <translation>GGUF 文件</translation>
    </message>
    <message>
        <source>Open GGUF File</source>
        <translation>打开 GGUF 文件</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>View</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Enter edits the message, Delete removes it</source>
        <translation>按&#xa0;Enter&#xa0;编辑消息，按&#xa0;Delete&#xa0;移除</translation>
    </message>
    <message>
        <source>Edit Message  Enter</source>
        <translation>编辑消息&#xa0;&#xa0;Enter</translation>
    </message>
    <message>
        <source>Remove  Del</source>
        <translation>移除&#xa0;&#xa0;Del</translation>
    </message>
    <message numerus="yes">
        <source>%n file</source>
        <comment>%n files</comment>
        <translation>
            <numerusform>%n 个文件</numerusform>
        </translation>
    </message>
    <message>
        <source>Queued message {number}: {text}</source>
        <translation>排队消息&#xa0;{number}：{text}</translation>
    </message>
    <message>
        <source>Queued messages</source>
        <translation>排队中的消息</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Decline</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Asking {host}…</source>
        <translation>正在查询 {host}…</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>How models should behave in new chats</source>
        <translation>模型在新对话中应如何表现</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no draft model</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>{name}, {size}</source>
        <translation>{name}，{size}</translation>
    </message>
    <message>
        <source>Model for New Chats</source>
        <translation>新对话的模型</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Shift+Enter</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Up, in an empty message</source>
        <translation>上箭头，在空白消息中</translation>
    </message>
    <message>
        <source>/, in an empty message</source>
        <translation>/，在空白消息中</translation>
    </message>
    <message>
        <source>Tab, in the message</source>
        <translation>Tab，在消息中</translation>
    </message>
    <message>
        <source>Delete, in the sidebar</source>
        <translation>Delete，在边栏中</translation>
    </message>
    <message>
        <source>Compare…</source>
        <translation>对比…</translation>
    </message>
    <message>
        <source>Broadcast</source>
        <translation>群发</translation>
    </message>
    <message numerus="yes">
        <source>The next message goes to %n chat</source>
        <comment>The next message goes to %n chats</comment>
        <translation>
            <numerusform>下一条消息将发给 %n 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep Broadcast On</source>
        <translation>保持群发开启</translation>
    </message>
    <message>
        <source>Join/Leave Broadcast</source>
        <translation>加入或退出群发</translation>
    </message>
    <message>
        <source>{chat} (hidden tab)</source>
        <translation>{chat}（隐藏的标签页）</translation>
    </message>
    <message>
        <source>Turn Off</source>
        <translation>关闭</translation>
    </message>
    <message numerus="yes">
        <source>To %n chat ({hidden} in hidden tabs)</source>
        <comment>To %n chats ({hidden} in hidden tabs)</comment>
        <translation>
            <numerusform>发给 %n 个对话（{hidden} 个在隐藏的标签页中）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>To %n chat</source>
        <comment>To %n chats</comment>
        <translation>
            <numerusform>发给 %n 个对话</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Sent to %n chat</source>
        <comment>Sent to %n chats</comment>
        <translation>
            <numerusform>已发给 %n 个对话</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat didn’t get this message: {why}</source>
        <comment>%n chats didn’t get this message: {why}</comment>
        <translation>
            <numerusform>%n 个对话没有收到这条消息：{why}</numerusform>
        </translation>
    </message>
    <message>
        <source>{title} – {model}</source>
        <translation>{title} – {model}</translation>
    </message>
    <message>
        <source>Show Report</source>
        <translation>显示报告</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>出现问题</translation>
    </message>
    <message>
        <source>Export Chats…</source>
        <translation>导出对话…</translation>
    </message>
    <message>
        <source>“{title}”</source>
        <translation>“{title}”</translation>
    </message>
    <message>
        <source>Import Chats…</source>
        <translation>导入对话…</translation>
    </message>
    <message>
        <source>The import couldn’t be undone: {error}</source>
        <translation>无法撤销导入：{error}</translation>
    </message>
    <message numerus="yes">
        <source>All %Ln chats</source>
        <comment>All %Ln chats</comment>
        <translation>
            <numerusform>全部 %Ln 个对话</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat imported</source>
        <comment>%Ln chats imported</comment>
        <translation>
            <numerusform>已导入 %Ln 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>Print…</source>
        <translation>打印…</translation>
    </message>
    <message>
        <source>Attach Files…</source>
        <translation>附加文件…</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>No layouts yet</source>
        <translation>还没有布局</translation>
    </message>
    <message>
        <source>Save Layout…</source>
        <translation>保存布局…</translation>
    </message>
    <message>
        <source>Save Layout</source>
        <translation>保存布局</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Show Log</source>
        <translation>显示日志</translation>
    </message>
    <message>
        <source>{tool} of {server} in “{chat}”</source>
        <translation>“{chat}”中 {server} 的 {tool}</translation>
    </message>
    <message>
        <source>a deleted chat</source>
        <translation>已删除的对话</translation>
    </message>
    <message>
        <source>in {folder}</source>
        <translation>位于 {folder}</translation>
    </message>
    <message>
        <source>Layout “{name}” replaced</source>
        <translation>已替换布局“{name}”</translation>
    </message>
    <message>
        <source>Layout “{name}” saved</source>
        <translation>已保存布局“{name}”</translation>
    </message>
    <message>
        <source>Rename Layout</source>
        <translation>重命名布局</translation>
    </message>
    <message>
        <source>Layout renamed to “{name}”</source>
        <translation>布局已重命名为“{name}”</translation>
    </message>
    <message>
        <source>Layout “{name}” deleted</source>
        <translation>已删除布局“{name}”</translation>
    </message>
    <message>
        <source>Layout “{name}” opened</source>
        <translation>已打开布局“{name}”</translation>
    </message>
    <message>
        <source>Layout “{name}” opened.</source>
        <translation>已打开布局“{name}”。</translation>
    </message>
    <message numerus="yes">
        <source>%n other chat closed.</source>
        <comment>%n other chats closed.</comment>
        <translation>
            <numerusform>已关闭其他 %n 个对话。</numerusform>
        </translation>
    </message>
    <message>
        <source>Sidebar</source>
        <translation>边栏</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>搜索所有对话</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>总谱</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting for memory</source>
        <comment>%n waiting for memory</comment>
        <translation>
            <numerusform>%n 个等待内存</numerusform>
        </translation>
    </message>
    <message>
        <source>Models…</source>
        <translation>模型…</translation>
    </message>
    <message>
        <source>Get Model…</source>
        <translation>获取模型…</translation>
    </message>
    <message>
        <source>{keys} copies text.</source>
        <translation>{keys} 用于复制文本。</translation>
    </message>
    <message>
        <source>{keys} cuts text.</source>
        <translation>{keys} 用于剪切文本。</translation>
    </message>
    <message>
        <source>{keys} pastes text.</source>
        <translation>{keys} 用于粘贴文本。</translation>
    </message>
    <message>
        <source>{keys} selects all text.</source>
        <translation>{keys} 用于全选文本。</translation>
    </message>
    <message>
        <source>Command Palette…</source>
        <translation>命令面板…</translation>
    </message>
    <message>
        <source>{menu}: {choice}</source>
        <translation>{menu}：{choice}</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source> characters</source>
        <translation> 个字符</translation>
    </message>
    <message>
        <source>No message here has other versions.</source>
        <translation>这里的消息都没有其他版本。</translation>
    </message>
    <message>
        <source>“{file}” is still being read.</source>
        <translation>仍在读取“{file}”。</translation>
    </message>
    <message>
        <source>No message is being edited.</source>
        <translation>没有正在编辑的消息。</translation>
    </message>
    <message>
        <source>Only your own messages can be edited.</source>
        <translation>只能编辑你自己的消息。</translation>
    </message>
    <message>
        <source>There’s no text to copy.</source>
        <translation>没有可复制的文本。</translation>
    </message>
    <message>
        <source>This is the first version.</source>
        <translation>这是第一个版本。</translation>
    </message>
    <message>
        <source>This is the last version.</source>
        <translation>这是最后一个版本。</translation>
    </message>
    <message>
        <source>Edit Last Message</source>
        <translation>编辑最后一条消息</translation>
    </message>
    <message>
        <source>Make Panes Equal</source>
        <translation>均分窗格</translation>
    </message>
    <message>
        <source>Next Chat</source>
        <translation>下一个对话</translation>
    </message>
    <message>
        <source>Previous Chat</source>
        <translation>上一个对话</translation>
    </message>
    <message>
        <source>This chat is in its own window. Move it back first.</source>
        <translation>此对话在单独的窗口中。请先将它移回。</translation>
    </message>
    <message>
        <source>There’s no pane after this one</source>
        <translation>后面没有窗格</translation>
    </message>
    <message>
        <source>There’s no pane before this one</source>
        <translation>前面没有窗格</translation>
    </message>
    <message>
        <source>There’s no other pane next to this one</source>
        <translation>旁边没有其他窗格</translation>
    </message>
    <message>
        <source>Prompts…</source>
        <translation>提示词…</translation>
    </message>
    <message>
        <source>Save Message as Prompt…</source>
        <translation>将消息存为提示词…</translation>
    </message>
    <message>
        <source>Quick Question</source>
        <translation>快速提问</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Search All Chats</source>
        <translation>搜索所有对话</translation>
    </message>
    <message>
        <source>Rename Chat</source>
        <translation>重命名对话</translation>
    </message>
    <message>
        <source>Move Chat to Folder…</source>
        <translation>将对话移到文件夹…</translation>
    </message>
    <message numerus="yes">
        <source>Chat pinned</source>
        <comment>{count} chats pinned</comment>
        <translation>
            <numerusform>已置顶 {count} 个对话</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat moved to “{folder}”</source>
        <comment>{count} chats moved to “{folder}”</comment>
        <translation>
            <numerusform>已将 {count} 个对话移到“{folder}”</numerusform>
        </translation>
    </message>
    <message>
        <source>New Folder</source>
        <translation>新建文件夹</translation>
    </message>
    <message numerus="yes">
        <source>Chat tagged</source>
        <comment>{count} chats tagged</comment>
        <translation>
            <numerusform>已为 {count} 个对话添加标签</numerusform>
        </translation>
    </message>
    <message>
        <source>Folder moved</source>
        <translation>已移动文件夹</translation>
    </message>
    <message>
        <source>Move to Folder</source>
        <translation>移到文件夹</translation>
    </message>
    <message>
        <source>Archive</source>
        <comment>what is done with a chat</comment>
        <translation>归档</translation>
    </message>
    <message>
        <source>New Folder…</source>
        <translation>新建文件夹…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Delete Folder</source>
        <translation>删除文件夹</translation>
    </message>
    <message>
        <source>Restore from Backup…</source>
        <translation>从备份恢复…</translation>
    </message>
    <message>
        <source>{title}, waits for your answer</source>
        <translation>{title}，等你答复</translation>
    </message>
    <message>
        <source>Close {title}</source>
        <translation>关闭 {title}</translation>
    </message>
    <message>
        <source>Full Screen</source>
        <translation>全屏幕</translation>
    </message>
    <message>
        <source>Menu  F10</source>
        <translation>菜单  F10</translation>
    </message>
    <message>
        <source>Show Stretto</source>
        <translation>显示 Stretto</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Convert…</source>
        <translation>转换…</translation>
    </message>
    <message>
        <source>Show in Folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Add Adapter…</source>
        <translation>添加适配器…</translation>
    </message>
    <message>
        <source>Draft Model…</source>
        <translation>草稿模型…</translation>
    </message>
    <message>
        <source>Move to Trash</source>
        <translation>移到废纸篓</translation>
    </message>
    <message>
        <source>Choose a model first</source>
        <translation>请先选择一个模型</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Cancel Loading</source>
        <translation>取消加载</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消置顶</translation>
    </message>
    <message>
        <source>Try Now</source>
        <translation>立即重试</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>粘贴的文本</translation>
    </message>
    <message>
        <source>“{name}” is too long. Read its last messages only.</source>
        <translation>“{name}”过长。请只读取最后的消息。</translation>
    </message>
    <message>
        <source>“{name}” can’t be read.</source>
        <translation>无法读取“{name}”。</translation>
    </message>
    <message>
        <source>“{name}” is attached in part: {pages} of {count}. Open one of them to choose others.</source>
        <translation>“{name}”仅附加了一部分：{pages}（共 {count} 页）。打开其中一页即可选择其他页面。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the {count} pages of “{name}” is a scan without text. Open the file to add its image or its text.</source>
        <comment>%Ln of the {count} pages of “{name}” are scans without text. Open the file to add their images or their text.</comment>
        <translation>
            <numerusform>“{name}”共 {count} 页，其中 %Ln 页是没有文字的扫描页。打开该文件即可添加这些页的图片或文字。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the {count} pages of “{name}” is a scan without text.</source>
        <comment>%Ln of the {count} pages of “{name}” are scans without text.</comment>
        <translation>
            <numerusform>“{name}”共 {count} 页，其中 %Ln 页是没有文字的扫描页。</numerusform>
        </translation>
    </message>
    <message>
        <source>text</source>
        <comment>a kind of file</comment>
        <translation>文本</translation>
    </message>
    <message>
        <source>code</source>
        <comment>a kind of file</comment>
        <translation>代码</translation>
    </message>
    <message>
        <source>web page</source>
        <comment>a kind of file</comment>
        <translation>网页</translation>
    </message>
    <message numerus="yes">
        <source>%Ln scanned</source>
        <comment>%Ln scanned</comment>
        <translation>
            <numerusform>其中 %Ln 页为扫描页</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage</source>
        <comment>%Ln passages</comment>
        <translation>
            <numerusform>%Ln 个段落</numerusform>
        </translation>
    </message>
    <message>
        <source>{passages} from {pages}</source>
        <translation>{passages}，来自{pages}</translation>
    </message>
    <message>
        <source>the first {share}</source>
        <comment>of a file</comment>
        <translation>前 {share}</translation>
    </message>
    <message numerus="yes">
        <source>part {numbers}</source>
        <comment>parts {numbers}</comment>
        <translation>
            <numerusform>第 {numbers} 部分</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>slide {numbers}</source>
        <comment>slides {numbers}</comment>
        <translation>
            <numerusform>第 {numbers} 张幻灯片</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>sheet {numbers}</source>
        <comment>sheets {numbers}</comment>
        <translation>
            <numerusform>第 {numbers} 张工作表</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>chapter {numbers}</source>
        <comment>chapters {numbers}</comment>
        <translation>
            <numerusform>第 {numbers} 章</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>page {numbers}</source>
        <comment>pages {numbers}</comment>
        <translation>
            <numerusform>第 {numbers} 页</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln slide</source>
        <comment>%Ln slides</comment>
        <translation>
            <numerusform>%Ln 张幻灯片</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sheet</source>
        <comment>%Ln sheets</comment>
        <translation>
            <numerusform>%Ln 张工作表</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chapter</source>
        <comment>%Ln chapters</comment>
        <translation>
            <numerusform>%Ln 章</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page</source>
        <comment>%Ln pages</comment>
        <translation>
            <numerusform>%Ln 页</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} of {limit} tokens</source>
        <translation>{tokens}/{limit} token</translation>
    </message>
    <message>
        <source>The engine has stopped.</source>
        <translation>引擎已停止。</translation>
    </message>
    <message>
        <source>The model couldn’t be loaded.</source>
        <translation>无法加载模型。</translation>
    </message>
    <message>
        <source>The chat was closed.</source>
        <translation>对话已关闭。</translation>
    </message>
    <message>
        <source>Chat {name}</source>
        <translation>对话 {name}</translation>
    </message>
    <message>
        <source>Attached: {file}</source>
        <translation>附件：{file}</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>about {size}</source>
        <translation>约 {size}</translation>
    </message>
    <message numerus="yes">
        <source>a chat</source>
        <comment>%n chats</comment>
        <translation>
            <numerusform>%n 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>The list is empty.</source>
        <translation>列表为空。</translation>
    </message>
    <message>
        <source>Line {line}, column {column}</source>
        <translation>第 {line} 行第 {column} 列</translation>
    </message>
    <message>
        <source>The schema is nested too deeply.</source>
        <translation>Schema 嵌套太深。</translation>
    </message>
    <message>
        <source>In {place}</source>
        <translation>在 {place}</translation>
    </message>
    <message>
        <source>The pattern is empty.</source>
        <translation>正则表达式为空。</translation>
    </message>
    <message>
        <source>At character {n}: a backslash with nothing after it.</source>
        <translation>第 {n} 个字符：反斜杠后面没有内容。</translation>
    </message>
    <message>
        <source>At character {n}</source>
        <translation>第 {n} 个字符</translation>
    </message>
    <message>
        <source>{file}: the archive is damaged.</source>
        <translation>{file}：压缩包已损坏。</translation>
    </message>
    <message numerus="yes">
        <source>Only the first %Ln file was read.</source>
        <comment>Only the first %Ln files were read.</comment>
        <translation>
            <numerusform>只读取了前 %Ln 个文件。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message</source>
        <comment>%Ln messages</comment>
        <translation>
            <numerusform>%Ln 条消息</numerusform>
        </translation>
    </message>
    <message>
        <source>The model couldn’t be loaded ({why}).</source>
        <translation>无法加载模型（{why}）。</translation>
    </message>
    <message>
        <source>{field}: choose at most {most}.</source>
        <translation>{field}：最多选择 {most} 项。</translation>
    </message>
    <message>
        <source>{field}: at most {most} characters.</source>
        <translation>{field}：最多 {most} 个字符。</translation>
    </message>
    <message>
        <source>{field}: choose from the list.</source>
        <translation>{field}：请从列表中选择。</translation>
    </message>
    <message>
        <source>{field}: choose at least {least}.</source>
        <translation>{field}：至少选择 {least} 项。</translation>
    </message>
    <message>
        <source>{field}: at least {least} characters.</source>
        <translation>{field}：至少 {least} 个字符。</translation>
    </message>
    <message>
        <source>{field}: a whole number.</source>
        <translation>{field}：须为整数。</translation>
    </message>
    <message>
        <source>{field}: a number.</source>
        <translation>{field}：须为数字。</translation>
    </message>
    <message>
        <source>{field}: at least {least}.</source>
        <translation>{field}：至少为 {least}。</translation>
    </message>
    <message>
        <source>{field}: at most {most}.</source>
        <translation>{field}：最多为 {most}。</translation>
    </message>
    <message>
        <source>{server} asked with a form that can’t be shown: {why}.</source>
        <translation>{server} 发来的表单无法显示：{why}。</translation>
    </message>
    <message>
        <source>Add Model Folder</source>
        <translation>添加模型文件夹</translation>
    </message>
    <message>
        <source>Add an Adapter to {name}</source>
        <translation>为 {name} 添加适配器</translation>
    </message>
    <message>
        <source>Model card</source>
        <translation>模型卡片</translation>
    </message>
    <message>
        <source>Convert</source>
        <translation>转换</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Download of {name}</source>
        <translation>下载 {name}</translation>
    </message>
    <message>
        <source>Remove from List</source>
        <translation>从列表中移除</translation>
    </message>
    <message numerus="yes">
        <source>%n model found</source>
        <comment>%n models found</comment>
        <translation>
            <numerusform>找到 %n 个模型</numerusform>
        </translation>
    </message>
    <message>
        <source>Downloaded</source>
        <translation>已下载</translation>
    </message>
    <message>
        <source>Gated</source>
        <comment>a model</comment>
        <translation>需授权</translation>
    </message>
    <message>
        <source>Can’t be loaded</source>
        <translation>无法加载</translation>
    </message>
    <message numerus="yes">
        <source>Load it for chats of up to %Ln token</source>
        <comment>Load it for chats of up to %Ln tokens</comment>
        <translation>
            <numerusform>按每个对话最多 %Ln 个 token 加载</numerusform>
        </translation>
    </message>
    <message>
        <source>Use {name} instead</source>
        <translation>改用 {name}</translation>
    </message>
    <message>
        <source>Unload {name}</source>
        <translation>卸载 {name}</translation>
    </message>
    <message>
        <source>Unload {names} and {last}</source>
        <translation>卸载 {names} 和 {last}</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>{name} doesn’t fit in memory</source>
        <translation>内存放不下 {name}</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Number of chats</source>
        <translation>对话数量</translation>
    </message>
    <message>
        <source>{bits}-bit</source>
        <translation>{bits} 位</translation>
    </message>
    <message>
        <source>at {revision}</source>
        <translation>修订版 {revision}</translation>
    </message>
    <message>
        <source>Get Model</source>
        <translation>获取模型</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Remove {name} from the list</source>
        <translation>从列表中移除 {name}</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>访问令牌</translation>
    </message>
    <message>
        <source> min</source>
        <translation> 分钟</translation>
    </message>
    <message>
        <source>Chats and settings</source>
        <translation>对话和设置</translation>
    </message>
    <message>
        <source>Show the chats and settings folder</source>
        <translation>显示对话和设置的文件夹</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Show the logs folder</source>
        <translation>显示日志文件夹</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>High</source>
        <translation>高</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>对比度</translation>
    </message>
    <message>
        <source> px</source>
        <translation> 像素</translation>
    </message>
    <message>
        <source>Editors</source>
        <translation>编辑器</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Copy for {name}</source>
        <translation>复制供 {name} 使用的配置</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>The keys can’t be read: {error}.</source>
        <translation>无法读取密钥：{error}。</translation>
    </message>
    <message>
        <source>New Key…</source>
        <translation>新建密钥…</translation>
    </message>
    <message>
        <source>dd MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>吊销</translation>
    </message>
    <message>
        <source>Revoke the key {name}</source>
        <translation>吊销密钥 {name}</translation>
    </message>
    <message>
        <source>New Key</source>
        <translation>新建密钥</translation>
    </message>
    <message>
        <source>This desktop has no tray.</source>
        <translation>此桌面环境没有系统托盘。</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message numerus="yes">
        <source>%n connected</source>
        <comment>%n connected</comment>
        <translation>
            <numerusform>%n 个连接</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <comment>%n more</comment>
        <translation>
            <numerusform>还有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Since Yesterday</source>
        <translation>自昨天起</translation>
    </message>
    <message>
        <source>Before This Year</source>
        <translation>今年以前</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>archived chats</source>
        <translation>已归档的对话</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat</source>
        <comment>%Ln chats</comment>
        <translation>
            <numerusform>%Ln 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>The backup couldn’t be restored. {why}</source>
        <translation>无法恢复备份。{why}</translation>
    </message>
    <message>
        <source>waits for your answer</source>
        <translation>等你答复</translation>
    </message>
    <message>
        <source>open</source>
        <comment>it stands in a pane</comment>
        <translation>已打开</translation>
    </message>
    <message>
        <source>tagged {tags}</source>
        <translation>标签：{tags}</translation>
    </message>
    <message>
        <source>Tags, separated by commas</source>
        <translation>标签，以逗号分隔</translation>
    </message>
    <message>
        <source>{field} (optional)</source>
        <translation>{field}（可选）</translation>
    </message>
    <message>
        <source>{least} to {most}</source>
        <translation>{least} 到 {most}</translation>
    </message>
    <message>
        <source>at least {least}</source>
        <translation>至少 {least}</translation>
    </message>
    <message>
        <source>at most {most}</source>
        <translation>最多 {most}</translation>
    </message>
    <message>
        <source>4 bits: the usual choice</source>
        <translation>4 位：常用选择</translation>
    </message>
    <message>
        <source>6 bits: closer to the original</source>
        <translation>6 位：更接近原模型</translation>
    </message>
    <message>
        <source>4 and 6 bits: more where it matters</source>
        <translation>4 和 6 位：关键处更精细</translation>
    </message>
    <message>
        <source>3 and 6 bits: as small as 4, more where it matters</source>
        <translation>3 和 6 位：与 4 位一样小，关键处更精细</translation>
    </message>
    <message>
        <source>3 and 4 bits: the smallest</source>
        <translation>3 和 4 位：最小</translation>
    </message>
    <message>
        <source>That folder</source>
        <translation>该文件夹</translation>
    </message>
    <message>
        <source>using a tool</source>
        <translation>正在使用工具</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>{rate} read</source>
        <comment>while a prompt is being read</comment>
        <translation>读取 {rate}</translation>
    </message>
    <message>
        <source>models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>helper processes</source>
        <translation>辅助进程</translation>
    </message>
    <message>
        <source>Send  Enter</source>
        <translation>发送  Enter</translation>
    </message>
    <message>
        <source>Open Link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>Blocked because this link doesn’t lead to a web page.</source>
        <translation>已阻止：此链接不指向网页。</translation>
    </message>
    <message>
        <source>Blocked because this link hides where it leads.</source>
        <translation>已阻止：此链接隐藏了去向。</translation>
    </message>
    <message>
        <source>Open this address at {place} outside Stretto?</source>
        <translation>要在 Stretto 以外打开 {place} 上的此网址吗？</translation>
    </message>
    <message numerus="yes">
        <source>(%Ln more character)</source>
        <comment>(%Ln more characters)</comment>
        <translation>
            <numerusform>（还有 %Ln 个字符）</numerusform>
        </translation>
    </message>
    <message>
        <source>Use Prompt</source>
        <translation>使用提示词</translation>
    </message>
    <message>
        <source>Resources</source>
        <translation>资源</translation>
    </message>
    <message>
        <source>Running {tool}</source>
        <translation>正在运行 {tool}</translation>
    </message>
    <message numerus="yes">
        <source>Running %n tool</source>
        <comment>Running %n tools</comment>
        <translation>
            <numerusform>正在运行 %n 个工具</numerusform>
        </translation>
    </message>
    <message>
        <source>step {step}</source>
        <translation>第 {step} 步</translation>
    </message>
    <message>
        <source>An address has no spaces and at most 500 characters.</source>
        <translation>地址不含空格，最多 500 个字符。</translation>
    </message>
    <message>
        <source>An address begins with https:// or http://.</source>
        <translation>地址以 https:// 或 http:// 开头。</translation>
    </message>
    <message>
        <source>{host} doesn’t allow this with your key. Ask for access there, or use another key.</source>
        <translation>{host} 不允许用你的密钥这样做。请在那里申请权限，或换一个密钥。</translation>
    </message>
    <message>
        <source>No models are listed at {address}. Check the address: it often ends in /v1.</source>
        <translation>{address} 没有列出模型。请检查地址：它通常以 /v1 结尾。</translation>
    </message>
    <message>
        <source>{host} isn’t ready.</source>
        <translation>{host} 尚未就绪。</translation>
    </message>
    <message numerus="yes">
        <source>Try again in %n second.</source>
        <comment>Try again in %n seconds.</comment>
        <translation>
            <numerusform>请在 %n 秒后再试。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Try again in %n minute.</source>
        <comment>Try again in %n minutes.</comment>
        <translation>
            <numerusform>请在 %n 分钟后再试。</numerusform>
        </translation>
    </message>
    <message>
        <source>Try again in a few hours.</source>
        <translation>请过几小时再试。</translation>
    </message>
    <message>
        <source>Try again tomorrow.</source>
        <translation>请明天再试。</translation>
    </message>
    <message>
        <source>{host} sent something that can’t be read. Check the address, or try again.</source>
        <translation>{host} 发来了无法读取的内容。请检查地址，或重试。</translation>
    </message>
    <message>
        <source>Couldn’t connect to {host} ({why}). Check that the server is running and the address is right.</source>
        <translation>无法连接 {host}（{why}）。请确认服务器正在运行且地址正确。</translation>
    </message>
    <message>
        <source>A model at an address, such as vLLM, llama.cpp or another Stretto</source>
        <translation>位于某个地址的模型，例如 vLLM、llama.cpp 或另一个 Stretto</translation>
    </message>
    <message>
        <source>No suggestions</source>
        <translation>没有建议</translation>
    </message>
    <message>
        <source>Add to Dictionary</source>
        <translation>添加到词典</translation>
    </message>
    <message>
        <source>Ignore</source>
        <comment>a misspelt word</comment>
        <translation>忽略</translation>
    </message>
    <message>
        <source>Questions, reasoning and tools</source>
        <translation>问答、推理和工具</translation>
    </message>
    <message>
        <source>Many languages, short texts</source>
        <translation>多种语言、短文本</translation>
    </message>
    <message>
        <source>Fast replies, room for more chats</source>
        <translation>回复快，可容纳更多对话</translation>
    </message>
    <message>
        <source>Reasoning, code and tools</source>
        <translation>推理、代码和工具</translation>
    </message>
    <message>
        <source>Writing and many languages</source>
        <translation>写作和多种语言</translation>
    </message>
    <message>
        <source>Reliable replies, room for more chats</source>
        <translation>回复稳定，可容纳更多对话</translation>
    </message>
    <message>
        <source>Reasoning and tools, fast</source>
        <translation>推理和工具，速度快</translation>
    </message>
    <message>
        <source>Reasoning and code, more accurate</source>
        <translation>推理和代码，更精确</translation>
    </message>
    <message>
        <source>Code, hard questions and tools</source>
        <translation>代码、难题和工具</translation>
    </message>
    <message>
        <source>Writing, many languages, fast</source>
        <translation>写作、多种语言、快速</translation>
    </message>
    <message>
        <source>Reasoning, tools, room for more chats</source>
        <translation>推理、工具，可容纳更多对话</translation>
    </message>
    <message>
        <source>Code and tools, very fast</source>
        <translation>代码和工具，速度很快</translation>
    </message>
    <message>
        <source>Writing, languages, hard questions</source>
        <translation>写作、语言、难题</translation>
    </message>
    <message>
        <source>Code and tools, more accurate</source>
        <translation>代码和工具，更精确</translation>
    </message>
    <message>
        <source>Code in long contexts</source>
        <translation>长文本编程</translation>
    </message>
    <message>
        <source>Long texts, very fast</source>
        <translation>长文本，速度很快</translation>
    </message>
    <message>
        <source>Code, tools, room for more chats</source>
        <translation>代码、工具，可容纳更多对话</translation>
    </message>
    <message>
        <source>Reasoning with adjustable effort</source>
        <translation>推理，深度可选</translation>
    </message>
    <message>
        <source>Hard questions, code, many languages</source>
        <translation>难题、代码、多种语言</translation>
    </message>
    <message>
        <source>Hard questions, code, more accurate</source>
        <translation>难题、代码，更精确</translation>
    </message>
    <message>
        <source>This network can’t be searched ({why}).</source>
        <translation>无法搜索此网络（{why}）。</translation>
    </message>
    <message>
        <source>Look for Stretto on this network</source>
        <translation>在此网络上查找 Stretto</translation>
    </message>
    <message>
        <source>Found on this network</source>
        <translation>在此网络上找到的</translation>
    </message>
    <message>
        <source>{name} has no draft model. {why}</source>
        <translation>{name} 没有草稿模型。{why}</translation>
    </message>
    <message>
        <source>Longest reply</source>
        <translation>最长回复</translation>
    </message>
    <message>
        <source>Default {value}</source>
        <translation>默认 {value}</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>模型默认</translation>
    </message>
    <message>
        <source>Menu bar icon</source>
        <translation>菜单栏图标</translation>
    </message>
    <message>
        <source>System tray icon</source>
        <translation>系统托盘图标</translation>
    </message>
    <message>
        <source>General</source>
        <translation>通用</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>消息发送键</translation>
    </message>
    <message>
        <source>Attach long pastes as files</source>
        <translation>将较长的粘贴内容作为文件附加</translation>
    </message>
    <message>
        <source>Check spelling</source>
        <translation>检查拼写</translation>
    </message>
    <message>
        <source>Notify about long replies</source>
        <translation>较长回复完成时通知</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Check for updates daily</source>
        <translation>每天检查更新</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Interface zoom</source>
        <translation>界面缩放</translation>
    </message>
    <message>
        <source>Message text size</source>
        <translation>消息文字大小</translation>
    </message>
    <message>
        <source>Reduce motion</source>
        <translation>减弱动态效果</translation>
    </message>
    <message>
        <source>Name chats automatically</source>
        <translation>自动为对话命名</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>内存上限</translation>
    </message>
    <message>
        <source>Unload idle models after</source>
        <translation>闲置多久后卸载模型</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>本地 API</translation>
    </message>
    <message>
        <source>Local API server</source>
        <translation>本地 API 服务器</translation>
    </message>
    <message>
        <source>Require a key</source>
        <translation>要求提供密钥</translation>
    </message>
    <message>
        <source>Allow other computers</source>
        <translation>允许其他电脑</translation>
    </message>
    <message>
        <source>Copy setup for</source>
        <translation>复制配置</translation>
    </message>
    <message>
        <source>Use with a coding agent</source>
        <translation>搭配编程智能体使用</translation>
    </message>
    <message>
        <source>Allowed origins (CORS)</source>
        <translation>允许的来源 (CORS)</translation>
    </message>
    <message>
        <source>Model aliases</source>
        <translation>模型别名</translation>
    </message>
    <message>
        <source>Cached context of clients</source>
        <translation>客户端的上下文缓存</translation>
    </message>
    <message>
        <source>Concurrent sessions</source>
        <translation>并发会话</translation>
    </message>
    <message>
        <source>Close the oldest session when full</source>
        <translation>已满时关闭最旧的会话</translation>
    </message>
    <message>
        <source>Concurrent requests (per key)</source>
        <translation>并发请求数（每个密钥）</translation>
    </message>
    <message>
        <source>Requests per minute (per key)</source>
        <translation>每分钟请求数（每个密钥）</translation>
    </message>
    <message>
        <source>Unload models used only by clients after</source>
        <translation>仅供客户端使用的模型闲置多久后卸载</translation>
    </message>
    <message>
        <source>Tool servers (MCP)</source>
        <translation>工具服务器 (MCP)</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Cached context on disk</source>
        <translation>磁盘上的上下文缓存</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>launch, Claude Code, Codex, terminal</source>
        <translation>启动、Claude Code、Codex、终端</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>搜索设置</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Found settings</source>
        <translation>找到的设置</translation>
    </message>
    <message>
        <source>Restarts Stretto in this language. Replies stop.</source>
        <translation>以此语言重新启动 Stretto。回复会停止。</translation>
    </message>
    <message>
        <source>Keyboard language</source>
        <translation>键盘语言</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Manage…</source>
        <translation>管理…</translation>
    </message>
    <message>
        <source>Programs that give models more tools</source>
        <translation>为模型提供更多工具的程序</translation>
    </message>
    <message>
        <source>Customize…</source>
        <translation>自定…</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>When a reply ends while Stretto is in the background</source>
        <translation>回复结束而 Stretto 在后台时</translation>
    </message>
    <message>
        <source>The chat’s model suggests a name. Names you set are kept.</source>
        <translation>由对话的模型建议名称。你设置的名称会保留。</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>For models and chats. Takes effect after a restart.</source>
        <translation>用于模型和对话。重启后生效。</translation>
    </message>
    <message>
        <source>Lets chats resume right away. Takes effect after a restart.</source>
        <translation>让对话立即继续。重启后生效。</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>恢复…</translation>
    </message>
    <message>
        <source>Show the caches folder</source>
        <translation>显示缓存文件夹</translation>
    </message>
    <message>
        <source>Check Now</source>
        <translation>立即检查</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>Stretto is up to date.</source>
        <translation>Stretto 已是最新版本。</translation>
    </message>
    <message>
        <source>Stretto {version} is available.</source>
        <translation>Stretto {version} 现已可用。</translation>
    </message>
    <message>
        <source>Settings, {page}</source>
        <translation>设置，{page}</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no web page</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>Such as https://example.org, separated by spaces</source>
        <translation>例如 https://example.org，以空格分隔</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no session</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>Clear the cached context of clients</source>
        <translation>清除客户端的上下文缓存</translation>
    </message>
    <message>
        <source>Lets them resume right away after a restart</source>
        <translation>重启后立即继续</translation>
    </message>
    <message>
        <source>There is nothing to clear.</source>
        <translation>没有可清除的内容。</translation>
    </message>
    <message>
        <source>Share per client</source>
        <translation>每个客户端的占比</translation>
    </message>
    <message>
        <source>Quick access</source>
        <translation>快速访问</translation>
    </message>
    <message>
        <source>Copy a terminal command</source>
        <translation>复制终端命令</translation>
    </message>
    <message>
        <source>Copy environment variables for editors and agents</source>
        <translation>复制编辑器和智能体的环境变量</translation>
    </message>
    <message>
        <source>Open Terminal…</source>
        <translation>打开终端…</translation>
    </message>
    <message>
        <source>{names} and others</source>
        <translation>{names} 等</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>访问权限</translation>
    </message>
    <message numerus="yes">
        <source>Running at {address}, %n client</source>
        <comment>Running at {address}, %n clients</comment>
        <translation>
            <numerusform>运行于 {address}，%n 个客户端</numerusform>
        </translation>
    </message>
    <message>
        <source>Running at {address}, no clients</source>
        <translation>运行于 {address}，没有客户端</translation>
    </message>
    <message>
        <source>Turn on the local API first.</source>
        <translation>请先开启本地 API。</translation>
    </message>
    <message>
        <source>created {date}</source>
        <translation>创建于 {date}</translation>
    </message>
    <message>
        <source>Clients that use it lose access. This can’t be undone.</source>
        <translation>使用它的客户端将失去访问权限。此操作无法撤销。</translation>
    </message>
    <message>
        <source>The key couldn’t be changed: {error}.</source>
        <translation>无法更改密钥：{error}。</translation>
    </message>
    <message>
        <source>Copied. Replace “your-key” with your key.</source>
        <translation>已复制。请将“your-key”替换为你的密钥。</translation>
    </message>
    <message>
        <source>Copy the key for “{name}” now. You won’t see it again.</source>
        <translation>请立即复制“{name}”的密钥。之后不会再显示。</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>新密钥</translation>
    </message>
    <message>
        <source>Maximum zoom reached</source>
        <translation>已放大到最大</translation>
    </message>
    <message>
        <source>Zoom In</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Minimum zoom reached</source>
        <translation>已缩小到最小</translation>
    </message>
    <message>
        <source>Zoom Out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Actual Size</source>
        <translation>实际大小</translation>
    </message>
    <message>
        <source>Zoom: {zoom}</source>
        <translation>缩放：{zoom}</translation>
    </message>
    <message>
        <source>Spelling is off. Turn it on in Settings &gt; General.</source>
        <translation>拼写检查已关闭。可在“设置 &gt; 通用”中打开。</translation>
    </message>
    <message>
        <source>Next Misspelling</source>
        <translation>下一个拼写错误</translation>
    </message>
    <message>
        <source>Multiple Computers</source>
        <translation>多台电脑</translation>
    </message>
    <message>
        <source>Frees memory. Its chats load it again when you send.</source>
        <translation>释放内存。使用它的对话会在发送消息时重新加载它。</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>没有已加载的模型</translation>
    </message>
    <message>
        <source>No other model is loaded.</source>
        <translation>没有其他已加载的模型。</translation>
    </message>
    <message>
        <source>{name} unloaded</source>
        <translation>已卸载 {name}</translation>
    </message>
    <message>
        <source>Add Folder for Tools</source>
        <translation>添加供工具使用的文件夹</translation>
    </message>
    <message>
        <source>{name} couldn’t reply.</source>
        <translation>{name} 未能回复。</translation>
    </message>
    <message>
        <source>{name} has replied.</source>
        <translation>{name} 已回复。</translation>
    </message>
    <message>
        <source>No room for another pane. The chat opened as a tab.</source>
        <translation>没有空间容纳新窗格，对话已在标签页中打开。</translation>
    </message>
    <message>
        <source>For a global shortcut to Quick Question, run this command from the Shortcuts app.</source>
        <translation>要用全局快捷键打开“快速提问”，请在“快捷指令”App 中运行此命令。</translation>
    </message>
    <message>
        <source>For a global shortcut to Quick Question, add this command in your system’s keyboard settings.</source>
        <translation>要用全局快捷键打开“快速提问”，请在系统键盘设置中添加此命令。</translation>
    </message>
    <message>
        <source>Ask the Guide</source>
        <translation>询问 Guide</translation>
    </message>
    <message>
        <source>This chat is in the Trash.</source>
        <translation>此对话在废纸篓中。</translation>
    </message>
    <message>
        <source>This is an older version of the chat.</source>
        <translation>这是对话的旧版本。</translation>
    </message>
    <message>
        <source>The chat now shows another version.</source>
        <translation>对话现在显示另一个版本。</translation>
    </message>
    <message>
        <source>Switch Back</source>
        <translation>切换回去</translation>
    </message>
    <message>
        <source>That message is in another version. Wait until the reply has ended.</source>
        <translation>该消息在另一个版本中。请等待回复结束。</translation>
    </message>
    <message>
        <source>No model is replying</source>
        <translation>没有模型正在回复</translation>
    </message>
    <message numerus="yes">
        <source>%n reply stopped</source>
        <comment>%n replies stopped</comment>
        <translation>
            <numerusform>已停止 %n 条回复</numerusform>
        </translation>
    </message>
    <message>
        <source>New line</source>
        <translation>换行</translation>
    </message>
    <message>
        <source>Send after the reply</source>
        <translation>回复后发送</translation>
    </message>
    <message>
        <source>Enter, during the reply</source>
        <translation>Enter，在回复期间</translation>
    </message>
    <message>
        <source>Remove queued message</source>
        <translation>移除排队消息</translation>
    </message>
    <message>
        <source>Delete, on the message</source>
        <translation>Delete，在消息上</translation>
    </message>
    <message>
        <source>Stop reply</source>
        <translation>停止回复</translation>
    </message>
    <message>
        <source>Edit last message</source>
        <translation>编辑最后一条消息</translation>
    </message>
    <message>
        <source>Insert prompt</source>
        <translation>插入提示词</translation>
    </message>
    <message>
        <source>Next prompt variable</source>
        <translation>提示词的下一个变量</translation>
    </message>
    <message>
        <source>Remove attachment</source>
        <translation>移除附件</translation>
    </message>
    <message>
        <source>Delete, on the attachment</source>
        <translation>Delete，在附件上</translation>
    </message>
    <message>
        <source>Delete chat</source>
        <translation>删除对话</translation>
    </message>
    <message>
        <source>Delete message and all after it</source>
        <translation>删除此消息及之后的消息</translation>
    </message>
    <message>
        <source>Delete, on a message</source>
        <translation>Delete，在消息上</translation>
    </message>
    <message>
        <source>Previous or next message</source>
        <translation>上一条或下一条消息</translation>
    </message>
    <message>
        <source>Up or Down, on a message</source>
        <translation>上下箭头，在消息上</translation>
    </message>
    <message>
        <source>Message actions</source>
        <translation>消息操作</translation>
    </message>
    <message>
        <source>Tab, on a message</source>
        <translation>Tab，在消息上</translation>
    </message>
    <message>
        <source>Scroll code sideways</source>
        <translation>左右滚动代码</translation>
    </message>
    <message>
        <source>Left or Right, on a message</source>
        <translation>左右箭头，在消息上</translation>
    </message>
    <message>
        <source>Code menu</source>
        <translation>代码菜单</translation>
    </message>
    <message>
        <source>Shift+F10, on a message</source>
        <translation>Shift+F10，在消息上</translation>
    </message>
    <message>
        <source>Pause or resume reply</source>
        <translation>暂停或继续回复</translation>
    </message>
    <message>
        <source>Space (in the score)</source>
        <translation>空格键（在总谱中）</translation>
    </message>
    <message>
        <source>{size} in memory</source>
        <translation>内存占用 {size}</translation>
    </message>
    <message>
        <source>Something went wrong. Your last action may not have taken effect.</source>
        <translation>出现问题。你刚才的操作可能未生效。</translation>
    </message>
    <message>
        <source>The file with your chats is damaged, and nothing more can be saved in it. Quit Stretto and open it again to recover what can be read.</source>
        <translation>保存对话的文件已损坏，无法再保存任何内容。请退出并重新打开 Stretto，以恢复仍可读取的内容。</translation>
    </message>
    <message>
        <source>All changes are saved.</source>
        <translation>所有更改均已保存。</translation>
    </message>
    <message numerus="yes">
        <source>Selected chat</source>
        <comment>%Ln selected chats</comment>
        <translation>
            <numerusform>所选的 %Ln 个对话</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat exported to “{file}”</source>
        <comment>%Ln chats exported to “{file}”</comment>
        <translation>
            <numerusform>已将 %Ln 个对话导出到“{file}”</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln changed chat moved to the Trash</source>
        <comment>%Ln changed chats moved to the Trash</comment>
        <translation>
            <numerusform>已将 %Ln 个有更改的对话移到废纸篓</numerusform>
        </translation>
    </message>
    <message>
        <source>To keep the current arrangement, choose Save Layout…</source>
        <translation>要保留当前排列，请选择“保存布局”…</translation>
    </message>
    <message>
        <source>Saves which chats are open and where.</source>
        <translation>保存打开的对话及其位置。</translation>
    </message>
    <message>
        <source>All chats in the layout “{name}” have been deleted</source>
        <translation>布局“{name}”中的对话均已删除</translation>
    </message>
    <message numerus="yes">
        <source>%n of its chats has been deleted.</source>
        <comment>%n of its chats have been deleted.</comment>
        <translation>
            <numerusform>其中 %n 个对话已删除。</numerusform>
        </translation>
    </message>
    <message>
        <source>Multiple Computers…</source>
        <translation>多台电脑…</translation>
    </message>
    <message>
        <source>{name} restored</source>
        <translation>已恢复 {name}</translation>
    </message>
    <message>
        <source>{keys} undoes typing.</source>
        <translation>{keys} 用于撤销输入。</translation>
    </message>
    <message>
        <source>{keys} redoes typing.</source>
        <translation>{keys} 用于重做输入。</translation>
    </message>
    <message>
        <source>{keys} types text. Add Command or Option.</source>
        <translation>{keys} 用于输入文字。请加上 Command 或 Option。</translation>
    </message>
    <message>
        <source>{keys} types text. Add Ctrl or Alt.</source>
        <translation>{keys} 用于输入文字。请加上 Ctrl 或 Alt。</translation>
    </message>
    <message>
        <source>Press the new shortcut.</source>
        <translation>请按下新的快捷键。</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>搜索快捷键</translation>
    </message>
    <message>
        <source>No matches</source>
        <translation>没有匹配项</translation>
    </message>
    <message>
        <source>Commands and shortcuts</source>
        <translation>命令和快捷键</translation>
    </message>
    <message>
        <source>Reset All</source>
        <translation>全部还原</translation>
    </message>
    <message>
        <source>Undo Reset</source>
        <translation>撤销还原</translation>
    </message>
    <message>
        <source>no shortcut</source>
        <translation>无快捷键</translation>
    </message>
    <message>
        <source>Default: {usual}</source>
        <translation>默认：{usual}</translation>
    </message>
    <message>
        <source>Change shortcut</source>
        <translation>更改快捷键</translation>
    </message>
    <message>
        <source>All shortcuts reset</source>
        <translation>已还原所有快捷键</translation>
    </message>
    <message>
        <source>Change Shortcut</source>
        <translation>更改快捷键</translation>
    </message>
    <message>
        <source>Shortcut for {command}</source>
        <translation>{command} 的快捷键</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>还原</translation>
    </message>
    <message>
        <source>Press the new shortcut for “{command}”</source>
        <translation>请按下“{command}”的新快捷键</translation>
    </message>
    <message>
        <source>This is the default shortcut</source>
        <translation>这是默认快捷键</translation>
    </message>
    <message>
        <source>This command has no shortcut</source>
        <translation>此命令没有快捷键</translation>
    </message>
    <message>
        <source>{keys} is used by “{command}” and will be removed there.</source>
        <translation>{keys} 已被“{command}”使用，设定后将从该命令移除。</translation>
    </message>
    <message>
        <source>This chat is empty.</source>
        <translation>此对话为空。</translation>
    </message>
    <message>
        <source>Copy Last Reply</source>
        <translation>复制最后的回复</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Regenerate with Same Seed</source>
        <translation>用相同种子重新生成</translation>
    </message>
    <message>
        <source>Previous Version</source>
        <translation>上一个版本</translation>
    </message>
    <message>
        <source>Next Version</source>
        <translation>下一个版本</translation>
    </message>
    <message>
        <source>Stop Reply</source>
        <translation>停止回复</translation>
    </message>
    <message>
        <source>Find in Chat</source>
        <translation>在对话中查找</translation>
    </message>
    <message>
        <source>Move to New Window</source>
        <translation>移到新窗口</translation>
    </message>
    <message>
        <source>Move to Previous Pane</source>
        <translation>移到上一个窗格</translation>
    </message>
    <message>
        <source>Move to Next Pane</source>
        <translation>移到下一个窗格</translation>
    </message>
    <message>
        <source>Make Pane Larger</source>
        <translation>放大窗格</translation>
    </message>
    <message>
        <source>Make Pane Smaller</source>
        <translation>缩小窗格</translation>
    </message>
    <message>
        <source>Keep This Reply</source>
        <translation>保留此回复</translation>
    </message>
    <message>
        <source>Focus Message Field</source>
        <translation>前往消息输入框</translation>
    </message>
    <message>
        <source>Prompt from {server}.</source>
        <translation>来自 {server} 的提示词。</translation>
    </message>
    <message>
        <source>Resource from {server}.</source>
        <translation>来自 {server} 的资源。</translation>
    </message>
    <message>
        <source>Attach up to {most} files.</source>
        <translation>最多可附加 {most} 个文件。</translation>
    </message>
    <message>
        <source>The message is empty.</source>
        <translation>消息为空。</translation>
    </message>
    <message>
        <source>Edit Tags</source>
        <translation>编辑标签</translation>
    </message>
    <message>
        <source>replying</source>
        <translation>正在回复</translation>
    </message>
    <message>
        <source>Add Remote Model</source>
        <translation>添加远程模型</translation>
    </message>
    <message>
        <source>Add Remote Model…</source>
        <translation>添加远程模型…</translation>
    </message>
    <message>
        <source>Focus Next Section</source>
        <translation>前往下一个区域</translation>
    </message>
    <message>
        <source>Focus Previous Section</source>
        <translation>前往上一个区域</translation>
    </message>
    <message>
        <source>Tool Servers (MCP)…</source>
        <translation>工具服务器 (MCP)…</translation>
    </message>
    <message>
        <source>Tools for This Chat…</source>
        <translation>此对话的工具…</translation>
    </message>
    <message>
        <source>No tool call is waiting for you.</source>
        <translation>没有待处理的工具调用。</translation>
    </message>
    <message>
        <source>Next Pending Tool Call</source>
        <translation>下一个待处理的工具调用</translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation>没有可撤销的操作</translation>
    </message>
    <message>
        <source>Undo Close or Delete</source>
        <translation>撤销关闭或删除</translation>
    </message>
    <message>
        <source>Copy Reply as Plain Text</source>
        <translation>将回复复制为纯文本</translation>
    </message>
    <message>
        <source>Copy Link</source>
        <translation>复制链接</translation>
    </message>
    <message>
        <source>Select All</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Search commands, chats, models, settings</source>
        <translation>搜索命令、对话、模型和设置</translation>
    </message>
    <message>
        <source>No results</source>
        <translation>无结果</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近使用</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>剪切</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>“{folder}” is read-only in this chat.</source>
        <translation>“{folder}”在此对话中为只读。</translation>
    </message>
    <message>
        <source>A file name has at most {most} characters.</source>
        <translation>文件名最多 {most} 个字符。</translation>
    </message>
    <message>
        <source>The file is too large to be changed.</source>
        <translation>文件过大，无法更改。</translation>
    </message>
    <message>
        <source>The file isn’t UTF-8 text, so it can’t be changed.</source>
        <translation>文件不是 UTF-8 文本，无法更改。</translation>
    </message>
    <message>
        <source>No changes</source>
        <translation>无更改</translation>
    </message>
    <message>
        <source>This is a folder, not a file.</source>
        <translation>这是文件夹，不是文件。</translation>
    </message>
    <message>
        <source>The text contains characters that a file can’t hold.</source>
        <translation>文本包含无法存入文件的字符。</translation>
    </message>
    <message>
        <source>The text is longer than {most} bytes.</source>
        <translation>文本超过 {most} 字节。</translation>
    </message>
    <message>
        <source>The path contains a null character.</source>
        <translation>路径包含空字符。</translation>
    </message>
    <message>
        <source>Paths that contain “..” aren’t allowed.</source>
        <translation>不允许使用包含“..”的路径。</translation>
    </message>
    <message>
        <source>“{path}” isn’t in a folder of this chat.</source>
        <translation>“{path}”不在此对话的文件夹中。</translation>
    </message>
    <message>
        <source>The file doesn’t exist.</source>
        <translation>文件不存在。</translation>
    </message>
    <message>
        <source>This isn’t a text file.</source>
        <translation>这不是文本文件。</translation>
    </message>
    <message>
        <source>The file or folder doesn’t exist.</source>
        <translation>文件或文件夹不存在。</translation>
    </message>
    <message>
        <source>This isn’t valid JSON: {why}, line {line}.</source>
        <translation>不是有效的 JSON：{why}，第 {line} 行。</translation>
    </message>
    <message>
        <source>An expression has 1 to {most} characters.</source>
        <translation>表达式为 1 至 {most} 个字符。</translation>
    </message>
    <message>
        <source>the expression isn’t valid</source>
        <translation>表达式无效</translation>
    </message>
    <message>
        <source>This can’t be calculated: {why}.</source>
        <translation>无法计算：{why}。</translation>
    </message>
    <message>
        <source>There’s no function “{name}”.</source>
        <translation>没有函数“{name}”。</translation>
    </message>
    <message>
        <source>The number is too large.</source>
        <translation>数字过大。</translation>
    </message>
    <message>
        <source>Date and Time</source>
        <translation>日期与时间</translation>
    </message>
    <message>
        <source>Gets the date, time, and time zone.</source>
        <translation>获取日期、时间和时区。</translation>
    </message>
    <message>
        <source>Get the date and time?</source>
        <translation>获取日期和时间？</translation>
    </message>
    <message>
        <source>Calculator</source>
        <translation>计算器</translation>
    </message>
    <message>
        <source>Does arithmetic.</source>
        <translation>进行算术计算。</translation>
    </message>
    <message>
        <source>Calculate this?</source>
        <translation>计算此表达式？</translation>
    </message>
    <message>
        <source>List Folders</source>
        <translation>列出文件夹</translation>
    </message>
    <message>
        <source>Lists the files in this chat’s folders.</source>
        <translation>列出此对话文件夹中的文件。</translation>
    </message>
    <message>
        <source>List this folder?</source>
        <translation>列出此文件夹？</translation>
    </message>
    <message>
        <source>List this chat’s folders?</source>
        <translation>列出此对话的文件夹？</translation>
    </message>
    <message>
        <source>Read Files</source>
        <translation>读取文件</translation>
    </message>
    <message>
        <source>Reads text files in this chat’s folders.</source>
        <translation>读取此对话文件夹中的文本文件。</translation>
    </message>
    <message>
        <source>Read this file?</source>
        <translation>读取此文件？</translation>
    </message>
    <message>
        <source>Search Files</source>
        <translation>搜索文件</translation>
    </message>
    <message>
        <source>Finds files by name, or by the text in them.</source>
        <translation>按名称或内容查找文件。</translation>
    </message>
    <message>
        <source>Search this chat’s folders?</source>
        <translation>搜索此对话的文件夹？</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Write Files</source>
        <translation>写入文件</translation>
    </message>
    <message>
        <source>Creates and changes text files. You see every change first.</source>
        <translation>创建和更改文本文件。每次更改前都会先让你查看。</translation>
    </message>
    <message>
        <source>Write this file?</source>
        <translation>写入此文件？</translation>
    </message>
    <message>
        <source>Web Pages</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>Fetches the text of a public web page.</source>
        <translation>获取公开网页的文本。</translation>
    </message>
    <message>
        <source>Fetch this page?</source>
        <translation>获取此网页？</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Runs Python code, without network or files.</source>
        <translation>运行 Python 代码，不能访问网络和文件。</translation>
    </message>
    <message>
        <source>Run this Python code?</source>
        <translation>运行此 Python 代码？</translation>
    </message>
    <message>
        <source>“{name}” must be text.</source>
        <translation>“{name}”必须是文本。</translation>
    </message>
    <message>
        <source>tok/s: tokens (parts of words) per second
first token: time until the reply began
cached: tokens kept from earlier replies, so the model reads only the rest</source>
        <translation>tok/s：每秒的 token（词的片段）数
首个 token：回复开始前的时间
缓存：从之前的回复保留的 token，模型只需读取其余部分</translation>
    </message>
    <message>
        <source>Allow Writing in This Folder</source>
        <translation>允许写入此文件夹</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Change the arguments of this call  E</source>
        <translation>更改此调用的参数  E</translation>
    </message>
    <message>
        <source>Deny All</source>
        <translation>全部拒绝</translation>
    </message>
    <message>
        <source>Let the model continue with the results</source>
        <translation>让模型用这些结果继续</translation>
    </message>
    <message numerus="yes">
        <source>Allow All</source>
        <comment>Allow All %Ln</comment>
        <translation>
            <numerusform>全部允许 (%Ln)</numerusform>
        </translation>
    </message>
    <message>
        <source>What will happen</source>
        <translation>将要执行的操作</translation>
    </message>
    <message>
        <source>Run this call  Enter</source>
        <translation>运行此调用  Enter</translation>
    </message>
    <message>
        <source>Always Allow</source>
        <translation>始终允许</translation>
    </message>
    <message>
        <source>Run this tool in this chat without asking again  T</source>
        <translation>在此对话中运行此工具，不再询问  T</translation>
    </message>
    <message>
        <source>Always Allow Server</source>
        <translation>始终允许此服务器</translation>
    </message>
    <message>
        <source>Run every tool of this server in this chat without asking  S</source>
        <translation>在此对话中运行此服务器的所有工具，不再询问  S</translation>
    </message>
    <message>
        <source>Don’t run this call  D</source>
        <translation>不运行此调用  D</translation>
    </message>
    <message>
        <source>The server asked: {question}
You answered.</source>
        <translation>服务器询问：{question}
你已答复。</translation>
    </message>
    <message>
        <source>The server asked: {question}
You didn’t answer.</source>
        <translation>服务器询问：{question}
你未答复。</translation>
    </message>
    <message>
        <source>Use {tool}?</source>
        <translation>使用 {tool}？</translation>
    </message>
    <message>
        <source>Use {tool} from {server}?</source>
        <translation>使用 {server} 的 {tool}？</translation>
    </message>
    <message>
        <source>Create this file?</source>
        <translation>创建此文件？</translation>
    </message>
    <message>
        <source>Change this file?</source>
        <translation>更改此文件？</translation>
    </message>
    <message>
        <source>{tool} · Denied</source>
        <translation>{tool} · 已拒绝</translation>
    </message>
    <message>
        <source>Allow or deny the tool call to continue.</source>
        <translation>请允许或拒绝工具调用以继续。</translation>
    </message>
    <message>
        <source>The arguments aren’t valid JSON: {why}, line {line}.</source>
        <translation>参数不是有效的 JSON：{why}，第 {line} 行。</translation>
    </message>
    <message>
        <source>The arguments aren’t valid JSON.</source>
        <translation>参数不是有效的 JSON。</translation>
    </message>
    <message>
        <source>The arguments must be a JSON object, such as { … }.</source>
        <translation>参数必须是 JSON 对象，例如 { … }。</translation>
    </message>
    <message>
        <source>The result was too long for this chat and was left out.</source>
        <translation>结果对此对话来说过长，已省略。</translation>
    </message>
    <message>
        <source>There’s no tool “{name}” in this chat.</source>
        <translation>此对话中没有工具“{name}”。</translation>
    </message>
    <message>
        <source>This call is no longer waiting.</source>
        <translation>此调用不再等待处理。</translation>
    </message>
    <message>
        <source>Check the changes, then allow them.</source>
        <translation>请检查更改，然后允许。</translation>
    </message>
    <message>
        <source>The tool failed: {kind}.</source>
        <translation>工具运行失败：{kind}。</translation>
    </message>
    <message>
        <source>Previous 7 Days</source>
        <translation>过去 7 天</translation>
    </message>
    <message>
        <source>Previous 30 Days</source>
        <translation>过去 30 天</translation>
    </message>
    <message>
        <source>Open Side by Side</source>
        <translation>并排打开</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>取消分组</translation>
    </message>
    <message>
        <source>group</source>
        <comment>of chats that were asked together</comment>
        <translation>分组</translation>
    </message>
    <message numerus="yes">
        <source>Chat closed</source>
        <comment>%n chats closed</comment>
        <translation>
            <numerusform>已关闭 %n 个对话</numerusform>
        </translation>
    </message>
    <message>
        <source>Move to Main Window</source>
        <translation>移到主窗口</translation>
    </message>
    <message>
        <source>Restore Panes</source>
        <translation>恢复窗格</translation>
    </message>
    <message>
        <source>Maximize Pane</source>
        <translation>最大化窗格</translation>
    </message>
    <message>
        <source>This pane already fills its window</source>
        <translation>此窗格已占满窗口</translation>
    </message>
    <message>
        <source>This pane has no other tab</source>
        <translation>此窗格没有其他标签页</translation>
    </message>
    <message>
        <source>There’s no tab to the right</source>
        <translation>右侧没有标签页</translation>
    </message>
    <message>
        <source>Close Other Tabs</source>
        <translation>关闭其他标签页</translation>
    </message>
    <message>
        <source>Close Tabs to the Right</source>
        <translation>关闭右侧标签页</translation>
    </message>
    <message>
        <source>Restore Panes  Shift+Esc</source>
        <translation>恢复窗格  Shift+Esc</translation>
    </message>
    <message>
        <source>Scroll bar</source>
        <translation>滚动条</translation>
    </message>
    <message>
        <source>Stretto asks before each call.</source>
        <translation>每次调用前 Stretto 都会询问你。</translation>
    </message>
    <message>
        <source>Always allowed in this chat: {tools}. Stretto asks before other calls.</source>
        <translation>此对话中始终允许：{tools}。其他调用会询问你。</translation>
    </message>
    <message>
        <source>{folder} · read and write</source>
        <translation>{folder} · 可读写</translation>
    </message>
    <message>
        <source>{folder} · read-only</source>
        <translation>{folder} · 只读</translation>
    </message>
    <message>
        <source>Make Read-Only</source>
        <translation>设为只读</translation>
    </message>
    <message>
        <source>Refresh Tools</source>
        <translation>刷新工具</translation>
    </message>
    <message>
        <source>Load Tools</source>
        <translation>加载工具</translation>
    </message>
    <message>
        <source>Enable Tools</source>
        <translation>启用工具</translation>
    </message>
    <message>
        <source>The model reads these descriptions</source>
        <translation>模型会读取这些说明</translation>
    </message>
    <message>
        <source>Offer resources with @ and prompts with /</source>
        <translation>用 @ 提供资源，用 / 提供提示词</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>Tool Servers</source>
        <translation>工具服务器</translation>
    </message>
    <message>
        <source>Tool servers as JSON</source>
        <translation>JSON 格式的工具服务器</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>MCP servers, in the JSON format that Claude and LM Studio use.</source>
        <translation>MCP 服务器，使用 Claude 和 LM Studio 的 JSON 格式。</translation>
    </message>
    <message>
        <source>Save your changes to the tool servers?</source>
        <translation>要保存对工具服务器的更改吗？</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Removed: {servers}</source>
        <translation>已移除：{servers}</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>已保存</translation>
    </message>
    <message>
        <source>No other programs with tool servers</source>
        <translation>没有其他带工具服务器的程序</translation>
    </message>
    <message numerus="yes">
        <source>%n server added from {place}</source>
        <comment>%n servers added from {place}</comment>
        <translation>
            <numerusform>已从 {place} 添加 %n 个服务器</numerusform>
        </translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>日志为空。</translation>
    </message>
    <message>
        <source>Always Allowed</source>
        <translation>始终允许</translation>
    </message>
    <message>
        <source>None. Stretto asks before each call.</source>
        <translation>无。每次调用前 Stretto 都会询问。</translation>
    </message>
    <message>
        <source>All tools</source>
        <translation>所有工具</translation>
    </message>
    <message>
        <source>{path}: read-only in “{chat}”</source>
        <translation>{path}：在“{chat}”中只读</translation>
    </message>
    <message>
        <source>{path}: read and write in “{chat}”</source>
        <translation>{path}：在“{chat}”中可读写</translation>
    </message>
    <message>
        <source>You see each change to a file before it is made.</source>
        <translation>每次更改文件前都会先让你查看。</translation>
    </message>
    <message>
        <source>Python is unavailable: it needs bubblewrap (bwrap) to run code safely.</source>
        <translation>Python 不可用：需要 bubblewrap (bwrap) 才能安全运行代码。</translation>
    </message>
    <message>
        <source>Python is unavailable: this system can’t run code safely.</source>
        <translation>Python 不可用：此系统无法安全运行代码。</translation>
    </message>
    <message>
        <source>Included</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>Added folder</source>
        <translation>添加的文件夹</translation>
    </message>
    <message>
        <source>Not quantized</source>
        <translation>未量化</translation>
    </message>
    <message>
        <source>Not stated in its configuration</source>
        <translation>配置中未说明</translation>
    </message>
    <message>
        <source>According to its template and configuration</source>
        <translation>依据其模板和配置</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>Tokens that a prompt and its reply can have together</source>
        <translation>提示词与回复合计的 token 上限</translation>
    </message>
    <message>
        <source>Weights and the KV caches of its chats</source>
        <translation>权重及其对话的 KV 缓存</translation>
    </message>
    <message>
        <source>Capabilities</source>
        <comment>what a model can do</comment>
        <translation>能力</translation>
    </message>
    <message>
        <source>Last used</source>
        <comment>when a model was used</comment>
        <translation>上次使用</translation>
    </message>
    <message>
        <source>Clear search</source>
        <translation>清除搜索</translation>
    </message>
    <message>
        <source>Download a model from Hugging Face</source>
        <translation>从 Hugging Face 下载模型</translation>
    </message>
    <message>
        <source>No models found</source>
        <translation>未找到模型</translation>
    </message>
    <message>
        <source>{name} unloaded. It loads again when a chat needs it.</source>
        <translation>已卸载 {name}。对话需要时会重新加载。</translation>
    </message>
    <message>
        <source>Choose a smaller model, or one with fewer bits.</source>
        <translation>请选择更小或位数更低的模型。</translation>
    </message>
    <message>
        <source>Recommended for this computer ({gigabytes} GB of memory)</source>
        <translation>推荐用于这台电脑（{gigabytes} GB 内存）</translation>
    </message>
    <message>
        <source>No models found. Try other words.</source>
        <translation>未找到模型。请换个词试试。</translation>
    </message>
    <message>
        <source>Searching Hugging Face…</source>
        <translation>正在搜索 Hugging Face…</translation>
    </message>
    <message>
        <source>Convert {name} to a smaller copy</source>
        <translation>将 {name} 转换为更小的副本</translation>
    </message>
    <message>
        <source>The original ({size}) stays. Converting takes a few minutes.</source>
        <translation>原模型（{size}）会保留。转换需要几分钟。</translation>
    </message>
    <message>
        <source>Draft Model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Draft model for {name}</source>
        <translation>{name} 的草稿模型</translation>
    </message>
    <message>
        <source>{name}: different tokenizer</source>
        <translation>{name}：分词器不同</translation>
    </message>
    <message>
        <source>No smaller model on this computer has the same tokenizer.</source>
        <translation>这台电脑上没有使用相同分词器的更小模型。</translation>
    </message>
    <message>
        <source>The folder no longer exists</source>
        <translation>文件夹已不存在</translation>
    </message>
    <message>
        <source>More for {name}</source>
        <translation>{name} 的更多操作</translation>
    </message>
    <message>
        <source>Keeps it at the top of the list, and in memory</source>
        <translation>保持在列表顶部并留在内存中</translation>
    </message>
    <message>
        <source>Makes a smaller copy</source>
        <translation>创建更小的副本</translation>
    </message>
    <message>
        <source>A small model that speeds up its replies</source>
        <translation>加快其回复的小模型</translation>
    </message>
    <message>
        <source>New chat with {name}</source>
        <translation>与 {name} 新建对话</translation>
    </message>
    <message>
        <source>Added as {name} + {adapter}.</source>
        <translation>已添加为 {name} + {adapter}。</translation>
    </message>
    <message>
        <source>{name} no longer uses a draft model.</source>
        <translation>{name} 不再使用草稿模型。</translation>
    </message>
    <message>
        <source>{name} uses {draft} as its draft model.</source>
        <translation>{name} 使用 {draft} 作为草稿模型。</translation>
    </message>
    <message>
        <source>{name} uses {draft} as its draft model once loaded.</source>
        <translation>{name} 加载后将使用 {draft} 作为草稿模型。</translation>
    </message>
    <message>
        <source>Move {name} to the Trash? {warning}</source>
        <translation>将 {name} 移到废纸篓？{warning}</translation>
    </message>
    <message>
        <source>{name} removed from the list. Its files stay.</source>
        <translation>已从列表中移除 {name}。其文件会保留。</translation>
    </message>
    <message>
        <source>Moving {name} to the Trash…</source>
        <translation>正在将 {name} 移到废纸篓…</translation>
    </message>
    <message>
        <source>Sends only your search to Hugging Face. Downloads only model data, never code.</source>
        <translation>仅将你的搜索内容发送给 Hugging Face。只下载模型数据，从不下载代码。</translation>
    </message>
    <message>
        <source>Downloads continue after you close this window.</source>
        <translation>关闭此窗口后下载会继续。</translation>
    </message>
    <message>
        <source>This model needs a Hugging Face token</source>
        <translation>此模型需要 Hugging Face 令牌</translation>
    </message>
    <message>
        <source>Asking Hugging Face…</source>
        <translation>正在查询 Hugging Face…</translation>
    </message>
    <message>
        <source>Waiting for Hugging Face</source>
        <translation>正在等待 Hugging Face</translation>
    </message>
    <message>
        <source>Choose a model or type its name</source>
        <translation>选择模型或输入其名称</translation>
    </message>
    <message>
        <source>{name} hasn’t finished downloading</source>
        <translation>{name} 尚未下载完成</translation>
    </message>
    <message numerus="yes">
        <source>%n model hasn’t finished downloading</source>
        <comment>%n models haven’t finished downloading</comment>
        <translation>
            <numerusform>%n 个模型尚未下载完成</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} converted</source>
        <translation>已转换 {name}</translation>
    </message>
    <message>
        <source>{name} downloaded</source>
        <translation>已下载 {name}</translation>
    </message>
    <message>
        <source>Remote models</source>
        <translation>远程模型</translation>
    </message>
    <message>
        <source>Shows models that suit this computer</source>
        <translation>显示适合这台电脑的模型</translation>
    </message>
    <message>
        <source>Chat with SmolLM2</source>
        <translation>与 SmolLM2 对话</translation>
    </message>
    <message>
        <source>Try Stretto with the Guide</source>
        <translation>用 Guide 体验 Stretto</translation>
    </message>
    <message>
        <source>Runs on this computer. Your messages stay here.</source>
        <translation>在这台电脑上运行。你的消息不会离开这里。</translation>
    </message>
    <message>
        <source>A tiny built-in model that knows Stretto. For anything else, get a model.</source>
        <translation>熟悉 Stretto 的内置微型模型。处理其他事情请获取模型。</translation>
    </message>
    <message>
        <source>It speaks English only.</source>
        <translation>它只会英语。</translation>
    </message>
    <message>
        <source>Your chats are in other windows</source>
        <translation>对话都在其他窗口中</translation>
    </message>
    <message>
        <source>Drag a tab here, or start a new chat.</source>
        <translation>将标签页拖到这里，或新建对话。</translation>
    </message>
    <message>
        <source>Choose a chat in the sidebar or start a new one. {keys} reopens the last one.</source>
        <translation>在边栏中选择对话，或新建对话。按 {keys} 可重新打开上一个对话。</translation>
    </message>
    <message>
        <source>Choose a chat in the sidebar or start a new one.</source>
        <translation>在边栏中选择对话，或新建对话。</translation>
    </message>
    <message>
        <source>this computer</source>
        <translation>这台电脑</translation>
    </message>
    <message>
        <source>No reply from {host} for {time}</source>
        <translation>{host} 已有 {time}没有回复</translation>
    </message>
    <message>
        <source>The reply is on its way.</source>
        <translation>正在回复。</translation>
    </message>
    <message>
        <source>{title}, replying</source>
        <translation>{title}，正在回复</translation>
    </message>
    <message>
        <source>{title}, unread</source>
        <translation>{title}，未读</translation>
    </message>
    <message>
        <source>New Chat  Ctrl+N</source>
        <translation>新建对话  Ctrl+N</translation>
    </message>
    <message>
        <source>Split Right  Ctrl+\</source>
        <translation>向右拆分  Ctrl+\</translation>
    </message>
    <message>
        <source>Split Down  Ctrl+Shift+\</source>
        <translation>向下拆分  Ctrl+Shift+\</translation>
    </message>
    <message>
        <source>unread</source>
        <translation>未读</translation>
    </message>
    <message>
        <source>End of reasoning</source>
        <translation>思考结束</translation>
    </message>
    <message>
        <source>the file can’t be created</source>
        <translation>无法创建文件</translation>
    </message>
    <message>
        <source>The model is still replying. Stop the reply or wait until it has ended.</source>
        <translation>模型仍在回复。请停止回复，或等待其结束。</translation>
    </message>
    <message>
        <source>The model isn’t replying.</source>
        <translation>模型当前未在回复。</translation>
    </message>
    <message>
        <source>This message is no longer in the chat.</source>
        <translation>此消息已不在对话中。</translation>
    </message>
    <message>
        <source>Stopped because it repeated itself</source>
        <comment>a reply</comment>
        <translation>因内容重复而停止</translation>
    </message>
    <message>
        <source>The server didn’t say if it’s complete</source>
        <comment>a reply</comment>
        <translation>服务器未说明回复是否完整</translation>
    </message>
    <message>
        <source>The message before it is deleted too. Restore that one first.</source>
        <translation>它之前的消息也已删除。请先恢复那条消息。</translation>
    </message>
    <message>
        <source>You haven’t sent a message yet.</source>
        <translation>你还没有发送过消息。</translation>
    </message>
    <message>
        <source>There’s no message to reply to yet.</source>
        <translation>还没有可回复的消息。</translation>
    </message>
    <message>
        <source>There’s no reply yet.</source>
        <translation>还没有回复。</translation>
    </message>
    <message>
        <source>“{file}” is too long for this model. Attach less of it, or remove it.</source>
        <translation>“{file}”对于此模型来说太长。请减少附加的内容或将其移除。</translation>
    </message>
    <message>
        <source>Write a message first.</source>
        <translation>请先输入消息。</translation>
    </message>
    <message>
        <source>The reply is stopping.</source>
        <translation>正在停止回复。</translation>
    </message>
    <message>
        <source>The model is still loading.</source>
        <translation>模型仍在加载。</translation>
    </message>
    <message>
        <source>There is nothing to continue.</source>
        <translation>没有可继续的内容。</translation>
    </message>
    <message>
        <source>Send a message first. The chat is named after it.</source>
        <translation>请先发送一条消息。对话会以它命名。</translation>
    </message>
    <message>
        <source>This reply has no message before it.</source>
        <translation>此回复之前没有消息。</translation>
    </message>
    <message>
        <source>This isn’t a reply.</source>
        <translation>这不是回复。</translation>
    </message>
    <message>
        <source>The seed of this reply is unknown</source>
        <translation>此回复的种子未知</translation>
    </message>
    <message>
        <source>Only the last reply can be continued.</source>
        <translation>只能继续最后一条回复。</translation>
    </message>
    <message>
        <source>There’s nothing to continue. Regenerate the reply instead.</source>
        <translation>没有可继续的内容。请改为重新生成回复。</translation>
    </message>
    <message>
        <source>{host} can’t continue a reply that was cut off. Regenerate it.</source>
        <translation>{host} 无法继续中断的回复。请重新生成。</translation>
    </message>
    <message>
        <source>The reply is complete.</source>
        <translation>此回复已完成。</translation>
    </message>
    <message>
        <source>This reply didn’t fail because of its length.</source>
        <translation>此回复失败并非因为长度。</translation>
    </message>
    <message>
        <source>What fits is unknown. Shorten the message or start a new chat.</source>
        <translation>无法确定可容纳多少内容。请缩短消息或新建对话。</translation>
    </message>
    <message>
        <source>The chat doesn’t fit without its oldest messages either. Shorten the message.</source>
        <translation>去掉最早的消息后对话仍放不下。请缩短消息。</translation>
    </message>
    <message>
        <source>There are no older messages to leave out. Shorten the message.</source>
        <translation>没有更早的消息可省略。请缩短消息。</translation>
    </message>
    <message>
        <source>This reply isn’t finished yet.</source>
        <translation>此回复尚未完成。</translation>
    </message>
    <message>
        <source>“{part}” isn’t a number. Enter numbers such as 1-3, 7.</source>
        <translation>“{part}”不是数字。请输入如 1-3, 7 的数字。</translation>
    </message>
    <message>
        <source>Enter numbers from 1 to {last}.</source>
        <translation>请输入 1 到 {last} 之间的数字。</translation>
    </message>
    <message>
        <source>Enter numbers such as 1-3, 7.</source>
        <translation>请输入如 1-3, 7 的数字。</translation>
    </message>
    <message numerus="yes">
        <source>Attach at most %n file. Send the others in another message.</source>
        <comment>Attach at most %n files. Send the others in another message.</comment>
        <translation>
            <numerusform>最多可附加 %n 个文件。其余的请用另一条消息发送。</numerusform>
        </translation>
    </message>
    <message>
        <source>“{name}” is a folder. Attach the files in it instead.</source>
        <translation>“{name}”是文件夹。请附加其中的文件。</translation>
    </message>
    <message>
        <source>“{name}” is already attached.</source>
        <translation>“{name}”已附加。</translation>
    </message>
    <message>
        <source>relevant passages</source>
        <translation>相关段落</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token too long for this model.</source>
        <comment>%Ln tokens too long for this model.</comment>
        <translation>
            <numerusform>超出此模型 %Ln 个 token。</numerusform>
        </translation>
    </message>
    <message>
        <source>The oldest messages are left out.</source>
        <translation>最早的消息会被省略。</translation>
    </message>
    <message>
        <source>“{file}” couldn’t be saved: {why}.</source>
        <translation>无法保存“{file}”：{why}。</translation>
    </message>
    <message>
        <source>The chat no longer exists.</source>
        <translation>此对话已不存在。</translation>
    </message>
    <message>
        <source>The reply format can’t be used. {wrong} Change it in the chat’s settings.</source>
        <translation>无法使用该回复格式。{wrong}请在对话的设置中更改。</translation>
    </message>
    <message>
        <source>A schema is a JSON object: { … }.</source>
        <translation>Schema 是一个 JSON 对象：{ … }。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln character. The limit is {most}.</source>
        <comment>%Ln characters. The limit is {most}.</comment>
        <translation>
            <numerusform>%Ln 个字符。上限为 {most} 个。</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} isn’t a number in JSON.</source>
        <translation>{name} 不是 JSON 中的数字。</translation>
    </message>
    <message>
        <source>it couldn’t be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>{file}: a text in it is too long. Everything before it was read.</source>
        <translation>{file}：其中有文本过长。此前的内容已读取。</translation>
    </message>
    <message>
        <source>{file}: no chats in this archive.</source>
        <translation>{file}：此压缩包中没有对话。</translation>
    </message>
    <message>
        <source>{file}: protected by a password.</source>
        <translation>{file}：受密码保护。</translation>
    </message>
    <message>
        <source>{file}: damaged or not JSON.</source>
        <translation>{file}：已损坏或不是 JSON。</translation>
    </message>
    <message>
        <source>{file}: damaged after chat {number}. Everything before it was read.</source>
        <translation>{file}：对话 {number} 之后已损坏。此前的内容已读取。</translation>
    </message>
    <message>
        <source>{file}: nested too deeply. Everything before it was read.</source>
        <translation>{file}：嵌套过深。此前的内容已读取。</translation>
    </message>
    <message>
        <source>More items couldn’t be read.</source>
        <translation>还有其他无法读取的内容。</translation>
    </message>
    <message>
        <source>No chats imported.</source>
        <translation>未导入任何对话。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat imported from {programs}, with {messages}.</source>
        <comment>%Ln chats imported from {programs}, with {messages}.</comment>
        <translation>
            <numerusform>已从 {programs} 导入 %Ln 个对话，含 {messages}。</numerusform>
        </translation>
    </message>
    <message>
        <source>The import was stopped.</source>
        <translation>导入已停止。</translation>
    </message>
    <message numerus="yes">
        <source>{count} chat already exists and wasn’t changed.</source>
        <comment>{count} chats already exist and weren’t changed.</comment>
        <translation>
            <numerusform>{count} 个对话已存在，未作更改。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} chat already exists in the Trash and wasn’t changed.</source>
        <comment>{count} chats already exist ({trashed} in the Trash) and weren’t changed.</comment>
        <translation>
            <numerusform>{count} 个对话已存在（其中 {trashed} 个在废纸篓中），未作更改。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln attachment.</source>
        <comment>Not imported: %Ln attachments.</comment>
        <translation>
            <numerusform>未导入：%Ln 个附件。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln image.</source>
        <comment>Not imported: %Ln images.</comment>
        <translation>
            <numerusform>未导入：%Ln 张图片。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln recording or video.</source>
        <comment>Not imported: %Ln recordings and videos.</comment>
        <translation>
            <numerusform>未导入：%Ln 个录音或视频。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln tool call or result.</source>
        <comment>Not imported: %Ln tool calls and results.</comment>
        <translation>
            <numerusform>未导入：%Ln 个工具调用或结果。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln citation without an address.</source>
        <comment>Not imported: %Ln citations without an address.</comment>
        <translation>
            <numerusform>未导入：%Ln 条没有地址的引用。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln change to a canvas or artifact.</source>
        <comment>Not imported: %Ln changes to a canvas or artifact.</comment>
        <translation>
            <numerusform>未导入：%Ln 处对画布或工件的更改。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: custom instructions of %Ln chat.</source>
        <comment>Not imported: custom instructions of %Ln chats.</comment>
        <translation>
            <numerusform>未导入：%Ln 个对话的自定义指令。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln empty chat.</source>
        <comment>Not imported: %Ln empty chats.</comment>
        <translation>
            <numerusform>未导入：%Ln 个空对话。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln instruction within a chat.</source>
        <comment>Not imported: %Ln instructions within a chat.</comment>
        <translation>
            <numerusform>未导入：%Ln 条位于对话中间的指令。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln item of type “{kind}”.</source>
        <comment>Not imported: %Ln items of type “{kind}”.</comment>
        <translation>
            <numerusform>未导入：%Ln 个“{kind}”类型的项目。</numerusform>
        </translation>
    </message>
    <message>
        <source>The model called a tool instead of replying, but this chat has no tools.</source>
        <translation>模型没有回复，而是调用了工具，但此对话没有工具。</translation>
    </message>
    <message>
        <source>The model’s tool call couldn’t be read.</source>
        <translation>无法解析模型的工具调用。</translation>
    </message>
    <message>
        <source>{where}: can’t be saved.</source>
        <translation>{where}：无法保存。</translation>
    </message>
    <message>
        <source>{file}, chat {number}</source>
        <translation>{file}，对话 {number}</translation>
    </message>
    <message>
        <source>{where}: too long.</source>
        <translation>{where}：太长。</translation>
    </message>
    <message>
        <source>{where}: not a chat.</source>
        <translation>{where}：不是对话。</translation>
    </message>
    <message>
        <source>{where}: damaged ({why}).</source>
        <translation>{where}：已损坏（{why}）。</translation>
    </message>
    <message>
        <source>{where}: unknown format.</source>
        <translation>{where}：未知格式。</translation>
    </message>
    <message>
        <source>{file}: saved by a newer version of Stretto.</source>
        <translation>{file}：由更新版本的 Stretto 保存。</translation>
    </message>
    <message>
        <source>{server} no longer has the tool “{tool}”.</source>
        <translation>{server} 已没有工具“{tool}”。</translation>
    </message>
    <message>
        <source>{server} has changed this tool. Refresh its tools first.</source>
        <translation>{server} 已更改此工具。请先刷新其工具。</translation>
    </message>
    <message>
        <source>No response within {seconds} s. The call was stopped.</source>
        <translation>{seconds} 秒内没有响应。调用已停止。</translation>
    </message>
    <message>
        <source>{server} quit during the call.</source>
        <translation>{server} 在调用期间退出了。</translation>
    </message>
    <message>
        <source>Before this call, {server} wants you to visit {pages}</source>
        <translation>在此调用之前，{server} 希望你访问 {pages}</translation>
    </message>
    <message>
        <source>{server} didn’t respond: {why}</source>
        <translation>{server} 没有响应：{why}</translation>
    </message>
    <message>
        <source>{server} didn’t respond within {seconds} s.</source>
        <translation>{server} 在 {seconds} 秒内没有响应。</translation>
    </message>
    <message>
        <source>{server} has quit.</source>
        <translation>{server} 已退出。</translation>
    </message>
    <message>
        <source>{why} It restarts in {seconds} s.</source>
        <translation>{why} 将在 {seconds} 秒后重新启动。</translation>
    </message>
    <message>
        <source>{server} didn’t list its tools in time.</source>
        <translation>{server} 未能及时列出其工具。</translation>
    </message>
    <message>
        <source>{server} couldn’t list its tools: {why}</source>
        <translation>{server} 无法列出其工具：{why}</translation>
    </message>
    <message>
        <source>The list of servers is larger than 1 MB.</source>
        <translation>服务器列表超过 1 MB。</translation>
    </message>
    <message>
        <source>it isn’t UTF-8 text</source>
        <translation>不是 UTF-8 文本</translation>
    </message>
    <message>
        <source>The tool servers couldn’t be saved: {why}.</source>
        <translation>无法保存工具服务器：{why}。</translation>
    </message>
    <message>
        <source>This JSON isn’t a list of servers.</source>
        <translation>此 JSON 不是服务器列表。</translation>
    </message>
    <message>
        <source>This isn’t a list of servers. It begins with {&quot;mcpServers&quot;: …}.</source>
        <translation>这不是服务器列表。它以 {&quot;mcpServers&quot;: …} 开头。</translation>
    </message>
    <message>
        <source>the name must have 1 to 60 visible characters</source>
        <translation>名称须为 1 至 60 个可见字符</translation>
    </message>
    <message>
        <source>the name can’t contain “/” or be “{name}”</source>
        <translation>名称不能包含“/”，也不能是“{name}”</translation>
    </message>
    <message>
        <source>the entry isn’t an object</source>
        <translation>条目不是对象</translation>
    </message>
    <message>
        <source>timeout must be a number of seconds</source>
        <translation>timeout 必须是秒数</translation>
    </message>
    <message>
        <source>“sse” servers aren’t supported; use the “http” address</source>
        <translation>不支持“sse”服务器；请使用“http”地址</translation>
    </message>
    <message>
        <source>url must begin with https:// or http://</source>
        <translation>url 必须以 https:// 或 http:// 开头</translation>
    </message>
    <message>
        <source>the entry has no command and no url</source>
        <translation>条目没有 command，也没有 url</translation>
    </message>
    <message>
        <source>args must be a list of strings</source>
        <translation>args 必须是字符串列表</translation>
    </message>
    <message>
        <source>the command contains a null character</source>
        <translation>命令包含空字符</translation>
    </message>
    <message>
        <source>cwd must be a folder</source>
        <translation>cwd 必须是文件夹</translation>
    </message>
    <message>
        <source>{what} must be an object of strings</source>
        <translation>{what} 必须是值为字符串的对象</translation>
    </message>
    <message>
        <source>{what} contains a name or value that isn’t valid</source>
        <translation>{what} 包含无效的名称或值</translation>
    </message>
    <message>
        <source>not an email address.</source>
        <translation>不是电子邮件地址。</translation>
    </message>
    <message>
        <source>not an address such as https://example.org.</source>
        <translation>不是 https://example.org 这样的地址。</translation>
    </message>
    <message>
        <source>enter the date as 2026-05-31.</source>
        <translation>请按 2026-05-31 的格式输入日期。</translation>
    </message>
    <message>
        <source>enter date and time as 2026-05-31T14:30:00Z.</source>
        <translation>请按 2026-05-31T14:30:00Z 的格式输入日期和时间。</translation>
    </message>
    <message>
        <source>{field} is required.</source>
        <translation>{field}为必填项。</translation>
    </message>
    <message>
        <source>{server} asked with a form that isn’t valid.</source>
        <translation>{server} 使用了无效的表单提问。</translation>
    </message>
    <message>
        <source>{server} asked for more than {most} values at once.</source>
        <translation>{server} 一次请求了超过 {most} 个值。</translation>
    </message>
    <message>
        <source>{server} asked to open something that isn’t a web address.</source>
        <translation>{server} 请求打开的不是网址。</translation>
    </message>
    <message>
        <source>Your answer goes to {server}, not to the model. Never enter passwords, keys, or card numbers.</source>
        <translation>你的答复会发送给 {server}，而不是模型。切勿输入密码、密钥或卡号。</translation>
    </message>
    <message>
        <source>Open in Browser</source>
        <translation>在浏览器中打开</translation>
    </message>
    <message>
        <source>Open this address and let the server know</source>
        <translation>打开此地址并告知服务器</translation>
    </message>
    <message>
        <source>Send your answers to the server  Enter</source>
        <translation>将你的答复发送给服务器  Enter</translation>
    </message>
    <message>
        <source>Decline to answer  D</source>
        <translation>拒绝答复  D</translation>
    </message>
    <message>
        <source>Dismiss the question  Esc</source>
        <translation>忽略问题  Esc</translation>
    </message>
    <message>
        <source>Enter an address, such as https://example.org/v1.</source>
        <translation>请输入地址，例如 https://example.org/v1。</translation>
    </message>
    <message>
        <source>Enter the key in its own field, not in the address.</source>
        <translation>请将密钥填入专用栏，而不是地址中。</translation>
    </message>
    <message>
        <source>The address has no host. Enter it as https://example.org/v1.</source>
        <translation>地址中没有主机。请按 https://example.org/v1 的形式输入。</translation>
    </message>
    <message>
        <source>{host} needs a key, or rejects this one. Add the model again with its key.</source>
        <translation>{host} 需要密钥，或不接受此密钥。请使用其密钥重新添加模型。</translation>
    </message>
    <message>
        <source>{host} needs payment for this. Add credit there, or choose another model.</source>
        <translation>{host} 需要付费才能使用。请在那里充值，或选择其他模型。</translation>
    </message>
    <message>
        <source>{host} has no model named “{model}”. Choose another, or check whether it was renamed.</source>
        <translation>{host} 没有名为“{model}”的模型。请选择其他模型，或查看它是否已改名。</translation>
    </message>
    <message>
        <source>{host} is getting too many requests.</source>
        <translation>{host} 收到的请求过多。</translation>
    </message>
    <message>
        <source>{host} couldn’t reply (status {status}). Try again later.</source>
        <translation>{host} 无法回复（状态 {status}）。请稍后重试。</translation>
    </message>
    <message>
        <source>{host} rejects this request (status {status}). It may not support one of the chat’s settings.</source>
        <translation>{host} 拒绝此请求（状态 {status}）。它可能不支持此对话的某项设置。</translation>
    </message>
    <message>
        <source>{host} sent no valid reply (status {status}). Check the address.</source>
        <translation>{host} 未发送有效回复（状态 {status}）。请检查地址。</translation>
    </message>
    <message>
        <source>{host} redirects requests. Check the address.</source>
        <translation>{host} 会重定向请求。请检查地址。</translation>
    </message>
    <message>
        <source>{host} redirects requests to {place}. Stretto doesn’t follow. If that address is right, add the model with it.</source>
        <translation>{host} 将请求重定向到 {place}。Stretto 不会跟随。如果该地址正确，请用它添加模型。</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>请稍后再试。</translation>
    </message>
    <message>
        <source>{host} ended the reply before it began. Try again, or check the server.</source>
        <translation>{host} 在回复开始前就结束了。请重试，或检查服务器。</translation>
    </message>
    <message>
        <source>{host} sent too much and was stopped. The reply so far is kept.</source>
        <translation>{host} 发送的内容过多，已停止。已收到的回复会保留。</translation>
    </message>
    <message>
        <source>{host} doesn’t respond. Try again, or check the server.</source>
        <translation>{host} 没有响应。请重试，或检查服务器。</translation>
    </message>
    <message>
        <source>The reply from {host} couldn’t be read.</source>
        <translation>无法读取 {host} 的回复。</translation>
    </message>
    <message>
        <source>“{name}” isn’t a remote model. Choose another model.</source>
        <translation>“{name}”不是远程模型。请选择其他模型。</translation>
    </message>
    <message>
        <source>{model} at {host} is no longer in your models, so nothing was sent. Add it again, or choose another model.</source>
        <translation>{host} 上的 {model} 已不在你的模型中，因此未发送任何内容。请重新添加，或选择其他模型。</translation>
    </message>
    <message>
        <source>It quit without a message.</source>
        <translation>它已退出，没有留下任何消息。</translation>
    </message>
    <message>
        <source>{host} has withheld the rest of this reply.</source>
        <translation>{host} 拒绝提供此回复的其余部分。</translation>
    </message>
    <message>
        <source>Stretto is quitting.</source>
        <translation>Stretto 正在退出。</translation>
    </message>
    <message>
        <source>The server “{server}” was removed or is off.</source>
        <translation>服务器“{server}”已移除或已关闭。</translation>
    </message>
    <message>
        <source>The server “{server}” was changed. Try again.</source>
        <translation>服务器“{server}”已更改。请重试。</translation>
    </message>
    <message>
        <source>“{name}” isn’t text.</source>
        <translation>“{name}”不是文本。</translation>
    </message>
    <message>
        <source>“{name}” has {size} characters. The limit is {most}.</source>
        <translation>“{name}”有 {size} 个字符，上限为 {most}。</translation>
    </message>
    <message>
        <source>Add a folder to this chat</source>
        <translation>为此对话添加文件夹</translation>
    </message>
    <message>
        <source>The page didn’t arrive within {seconds} s.</source>
        <translation>未能在 {seconds} 秒内收到网页。</translation>
    </message>
    <message>
        <source>The page is too large.</source>
        <translation>网页过大。</translation>
    </message>
    <message>
        <source>{url} couldn’t be fetched: {why}.</source>
        <translation>无法获取 {url}：{why}。</translation>
    </message>
    <message>
        <source>There were more than {most} redirects.</source>
        <translation>重定向超过 {most} 次。</translation>
    </message>
    <message>
        <source>An address has at most {most} characters.</source>
        <translation>地址最多 {most} 个字符。</translation>
    </message>
    <message>
        <source>This isn’t an address.</source>
        <translation>这不是地址。</translation>
    </message>
    <message>
        <source>The address must begin with http:// or https://.</source>
        <translation>仅获取以 http:// 或 https:// 开头的地址。</translation>
    </message>
    <message>
        <source>The address can’t contain a name and password.</source>
        <translation>不获取包含用户名和密码的地址。</translation>
    </message>
    <message>
        <source>There’s no server {host}.</source>
        <translation>没有服务器 {host}。</translation>
    </message>
    <message>
        <source>{host} isn’t on the public internet.</source>
        <translation>{host} 不在公共互联网上。</translation>
    </message>
    <message>
        <source>The server replied with status {status}.</source>
        <translation>服务器回复了状态 {status}。</translation>
    </message>
    <message>
        <source>Stretto only fetches text, and this is {kind}.</source>
        <translation>仅获取文本，而这是 {kind}。</translation>
    </message>
    <message>
        <source>Blind comparison</source>
        <translation>盲测对比</translation>
    </message>
    <message>
        <source>Compare by</source>
        <translation>对比项</translation>
    </message>
    <message>
        <source>Show Differences</source>
        <translation>显示差异</translation>
    </message>
    <message>
        <source>Scroll Compared Replies Together</source>
        <translation>同步滚动对比的回复</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter  Alt+Down</source>
        <translation>筛选  Alt+Down</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>From Me</source>
        <translation>来自我</translation>
    </message>
    <message>
        <source>From the Model</source>
        <translation>来自模型</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>Collapsed sidebar</source>
        <translation>已折叠的边栏</translation>
    </message>
    <message>
        <source>Show Sidebar  Ctrl+B</source>
        <translation>显示边栏  Ctrl+B</translation>
    </message>
    <message>
        <source>Hide Sidebar  Ctrl+B</source>
        <translation>隐藏边栏  Ctrl+B</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>展开</translation>
    </message>
    <message>
        <source>Open to the Side</source>
        <translation>在旁边打开</translation>
    </message>
    <message numerus="yes">
        <source>Move {count} Chat to Trash</source>
        <comment>Move {count} Chats to Trash</comment>
        <translation>
            <numerusform>将 {count} 个对话移到废纸篓</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat unpinned</source>
        <comment>{count} chats unpinned</comment>
        <translation>
            <numerusform>已取消置顶 {count} 个对话</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat archived</source>
        <comment>{count} chats archived</comment>
        <translation>
            <numerusform>已归档 {count} 个对话</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat unarchived</source>
        <comment>{count} chats unarchived</comment>
        <translation>
            <numerusform>已取消归档 {count} 个对话</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat removed from its folder</source>
        <comment>{count} chats removed from their folders</comment>
        <translation>
            <numerusform>已将 {count} 个对话移出文件夹</numerusform>
        </translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>Folder “{name}” deleted. Its chats are kept.</source>
        <translation>已删除文件夹“{name}”。其中的对话会保留。</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>取消归档</translation>
    </message>
    <message>
        <source>Remove from Folder</source>
        <translation>移出文件夹</translation>
    </message>
    <message>
        <source>New Subfolder…</source>
        <translation>新建子文件夹…</translation>
    </message>
    <message>
        <source>Move to Top Level</source>
        <translation>移到顶层</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>No chats yet</source>
        <translation>还没有对话</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>Reply so far</source>
        <translation>目前的回复</translation>
    </message>
    <message>
        <source>This reply has ended.</source>
        <translation>此回复已结束。</translation>
    </message>
    <message>
        <source>Clients, {words}</source>
        <translation>客户端，{words}</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>客户端</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Local API at {address}</source>
        <translation>本地 API：{address}</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>已展开</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>已折叠</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>Ungrouped</source>
        <translation>已取消分组</translation>
    </message>
    <message>
        <source>Reply {letter}</source>
        <translation>回复 {letter}</translation>
    </message>
    <message>
        <source>{reply} was {what}</source>
        <comment>Reply A was Seed 1</comment>
        <translation>{reply} 是 {what}</translation>
    </message>
    <message>
        <source>Chat moved to Trash</source>
        <translation>已将对话移到废纸篓</translation>
    </message>
    <message>
        <source>Move Chat to Trash</source>
        <translation>将对话移到废纸篓</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat moved to Trash</source>
        <comment>%Ln chats moved to Trash</comment>
        <translation>
            <numerusform>已将 %Ln 个对话移到废纸篓</numerusform>
        </translation>
    </message>
    <message>
        <source>This change came after the chats were closed and isn’t saved.</source>
        <translation>此更改在对话关闭之后发生，未保存。</translation>
    </message>
    <message>
        <source>Saving is taking longer than expected.</source>
        <translation>保存用时比预期长。</translation>
    </message>
    <message>
        <source>The disk didn’t respond in time.</source>
        <translation>磁盘未及时响应。</translation>
    </message>
    <message>
        <source>Not enough memory right now.</source>
        <translation>目前内存不足。</translation>
    </message>
    <message>
        <source>The chat no longer fits the model’s context.</source>
        <translation>对话已超出模型的上下文。</translation>
    </message>
    <message>
        <source>The model couldn’t reply.</source>
        <translation>模型未能回复。</translation>
    </message>
    <message>
        <source>The model can’t process this request.</source>
        <translation>模型无法处理此请求。</translation>
    </message>
    <message>
        <source>Not enough memory.</source>
        <translation>内存不足。</translation>
    </message>
    <message>
        <source>The model is still replying in this chat.</source>
        <translation>模型仍在此对话中回复。</translation>
    </message>
    <message>
        <source>The model’s chat template doesn’t accept these messages.</source>
        <translation>模型的对话模板不接受这些消息。</translation>
    </message>
    <message>
        <source>The model is no longer loaded.</source>
        <translation>模型已不在加载状态。</translation>
    </message>
    <message>
        <source>This model can’t keep the chat separate from the others.</source>
        <translation>此模型无法将该对话与其他对话隔离。</translation>
    </message>
    <message>
        <source>It needs {total}: {weights} for weights, {caches} for {chats} of {context} tokens, and {working} of working memory. {free} is free.</source>
        <translation>需要 {total}：权重 {weights}，{chats}（各 {context} 个 token）{caches}，工作内存 {working}。可用 {free}。</translation>
    </message>
    <message>
        <source>Your last changes before the crash may be missing. The damaged journal is kept as {file}.</source>
        <translation>崩溃前的最后更改可能已丢失。损坏的日志保留为 {file}。</translation>
    </message>
    <message>
        <source>Stretto started without chats. Your earlier chats are kept as {file}.</source>
        <translation>Stretto 已启动，但没有载入对话。你之前的对话保留为 {file}。</translation>
    </message>
    <message>
        <source>Recovered {messages} in {chats}. The damaged file is kept as {file}.</source>
        <translation>已恢复 {chats}中的 {messages}。损坏的文件保留为 {file}。</translation>
    </message>
    <message>
        <source>Backup restored.</source>
        <translation>已恢复备份。</translation>
    </message>
    <message>
        <source>Backup restored. Your previous chats are kept as {file}.</source>
        <translation>已恢复备份。你之前的对话保留为 {file}。</translation>
    </message>
    <message>
        <source>Failed ({kind}). See the log.</source>
        <translation>失败（{kind}）。请查看日志。</translation>
    </message>
    <message>
        <source>Length limit reached</source>
        <comment>a reply</comment>
        <translation>已达长度上限</translation>
    </message>
    <message>
        <source>Memory full</source>
        <comment>a reply</comment>
        <translation>内存已满</translation>
    </message>
    <message>
        <source>Paste a JSON schema.</source>
        <translation>请粘贴 JSON Schema。</translation>
    </message>
    <message>
        <source>Second reading ({letters})</source>
        <translation>第二轮评判（{letters}）</translation>
    </message>
    <message>
        <source>First reading ({letters})</source>
        <translation>第一轮评判（{letters}）</translation>
    </message>
    <message>
        <source>The judge preferred {letter} in both readings.</source>
        <translation>两轮评判都选择了 {letter}。</translation>
    </message>
    <message>
        <source>The judge changed its mind, so no reply won: {first} in the first reading, {second} in the second.</source>
        <translation>两轮评判结果不同，没有回复胜出：第一轮是 {first}，第二轮是 {second}。</translation>
    </message>
    <message>
        <source>The judge didn’t name the same best reply in both readings.</source>
        <translation>两轮评判没有选出同一条最佳回复。</translation>
    </message>
    <message>
        <source>The model hasn’t replied to the tool results.</source>
        <translation>模型尚未根据工具结果回复。</translation>
    </message>
    <message>
        <source>Interrupts the reply when “{file}” is ready. Esc cancels.</source>
        <translation>“{file}”就绪后中断回复并发送。按 Esc 取消。</translation>
    </message>
    <message>
        <source>“{file}” is too long for this model. Press “{link}” or remove the file.</source>
        <translation>“{file}”对于此模型来说太长。请点按“{link}”或移除该文件。</translation>
    </message>
    <message>
        <source>8 bits: practically identical to the original</source>
        <translation>8 位：与原模型几乎无异</translation>
    </message>
    <message>
        <source>2 and 6 bits: small, not for every model</source>
        <translation>2 和 6 位：小，不适合所有模型</translation>
    </message>
    <message>
        <source>Already quantized. Convert the original model instead.</source>
        <translation>已经过量化。请改为转换原始模型。</translation>
    </message>
    <message>
        <source>The download failed.</source>
        <translation>下载失败。</translation>
    </message>
    <message>
        <source>Hugging Face doesn’t allow access.</source>
        <translation>Hugging Face 不允许访问。</translation>
    </message>
    <message>
        <source>This isn’t possible.</source>
        <translation>无法执行此操作。</translation>
    </message>
    <message>
        <source>The model couldn’t be converted.</source>
        <translation>无法转换模型。</translation>
    </message>
    <message>
        <source>Not enough disk space.</source>
        <translation>磁盘空间不足。</translation>
    </message>
    <message>
        <source>Not found on Hugging Face.</source>
        <translation>在 Hugging Face 上未找到。</translation>
    </message>
    <message>
        <source>Hugging Face can’t be reached.</source>
        <translation>无法连接到 Hugging Face。</translation>
    </message>
    <message>
        <source>Hugging Face cannot be reached. Check the connection.</source>
        <translation>无法连接到 Hugging Face。请检查网络连接。</translation>
    </message>
    <message>
        <source>Hugging Face does not answer. Try again in a while.</source>
        <translation>Hugging Face 没有响应。请稍后重试。</translation>
    </message>
    <message>
        <source>Hugging Face answers too slowly. Try again in a while.</source>
        <translation>Hugging Face 响应太慢。请稍后重试。</translation>
    </message>
    <message>
        <source>{name} isn’t an adapter. Choose a folder with adapter_config.json and adapters.safetensors.</source>
        <translation>{name} 不是适配器。请选择含有 adapter_config.json 和 adapters.safetensors 的文件夹。</translation>
    </message>
    <message>
        <source>{name} moved to the Trash. You can put it back from there.</source>
        <translation>已将 {name} 移到废纸篓。可从废纸篓放回原处。</translation>
    </message>
    <message>
        <source>{name} moved to the Trash.</source>
        <translation>已将 {name} 移到废纸篓。</translation>
    </message>
    <message>
        <source>{name} is part of Stretto.</source>
        <translation>{name} 是 Stretto 的一部分。</translation>
    </message>
    <message>
        <source>{folder} contains other files too. Remove the model’s files by hand.</source>
        <translation>{folder} 中还有其他文件。请手动移除模型的文件。</translation>
    </message>
    <message>
        <source>{name} is being moved to the Trash.</source>
        <translation>正在将 {name} 移到废纸篓。</translation>
    </message>
    <message>
        <source>{name} is loading. Wait until it has loaded, or cancel.</source>
        <translation>{name} 正在加载。请等待加载完成，或取消。</translation>
    </message>
    <message>
        <source>{name} is being converted. Cancel the conversion first.</source>
        <translation>{name} 正在转换。请先取消转换。</translation>
    </message>
    <message>
        <source>{name} is downloading. Cancel the download first.</source>
        <translation>{name} 正在下载。请先取消下载。</translation>
    </message>
    <message>
        <source>The chat “{title}” uses it and will need another model.</source>
        <translation>对话“{title}”正在使用它，之后需要其他模型。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat uses it and will need another model.</source>
        <comment>%Ln chats use it and will need another model.</comment>
        <translation>
            <numerusform>%Ln 个对话正在使用它，之后需要其他模型。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other revision shares its files and is removed too.</source>
        <comment>%n other revisions share its files and are removed too.</comment>
        <translation>
            <numerusform>另有 %n 个修订版共用其文件，也会一并移除。</numerusform>
        </translation>
    </message>
    <message>
        <source>Its folder contains other files, which are removed too: {list} and more.</source>
        <translation>其文件夹中还有其他文件，也会一并移除：{list} 等。</translation>
    </message>
    <message>
        <source>Its folder contains other files, which are removed too: {list}.</source>
        <translation>其文件夹中还有其他文件，也会一并移除：{list}。</translation>
    </message>
    <message>
        <source>{name} couldn’t be removed: {why}. Show its folder and remove it there.</source>
        <translation>无法移除 {name}：{why}。请显示其文件夹并在那里移除。</translation>
    </message>
    <message>
        <source>{name} couldn’t be restored: {why}.</source>
        <translation>无法恢复 {name}：{why}。</translation>
    </message>
    <message>
        <source>This model isn’t loaded.</source>
        <translation>此模型未加载。</translation>
    </message>
    <message>
        <source>The model is replying in “{chat}”. Stop the reply first.</source>
        <translation>模型正在“{chat}”中回复。请先停止回复。</translation>
    </message>
    <message numerus="yes">
        <source>The model is replying in %n chat. Stop the reply first.</source>
        <comment>The model is replying in %n chats. Stop the replies first.</comment>
        <translation>
            <numerusform>模型正在 %n 个对话中回复。请先停止回复。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Another chat is waiting for {model}. It keeps loading.</source>
        <comment>%n other chats are waiting for {model}. It keeps loading.</comment>
        <translation>
            <numerusform>另有 %n 个对话在等待 {model}，将继续加载。</numerusform>
        </translation>
    </message>
    <message>
        <source>{model} was unloaded because the system is low on memory. It loads again when you send a message.</source>
        <translation>由于系统内存不足，{model} 已卸载。发送消息时会重新加载。</translation>
    </message>
    <message>
        <source>Small and fast, often wrong</source>
        <translation>小巧快速，但经常出错</translation>
    </message>
    <message>
        <source>it no longer exists</source>
        <translation>已不存在</translation>
    </message>
    <message>
        <source>it can’t be moved to the Trash</source>
        <translation>无法移到废纸篓</translation>
    </message>
    <message>
        <source>it wasn’t moved to the Trash</source>
        <translation>未移到废纸篓</translation>
    </message>
    <message>
        <source>it is no longer in the Trash</source>
        <translation>已不在废纸篓中</translation>
    </message>
    <message>
        <source>an item with that name already exists</source>
        <translation>已存在同名项目</translation>
    </message>
    <message>
        <source>Longer pastes become attachments.</source>
        <translation>更长的粘贴内容会变为附件。</translation>
    </message>
    <message>
        <source>Nothing about you is sent, and nothing is installed automatically.</source>
        <translation>不会发送你的信息，也不会自动安装。</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>Models reload when a chat needs them.</source>
        <translation>对话需要时会重新加载模型。</translation>
    </message>
    <message>
        <source>Editors, scripts, and agents use your models over the OpenAI and Anthropic APIs.</source>
        <translation>编辑器、脚本和智能体可通过 OpenAI 和 Anthropic 的 API 使用你的模型。</translation>
    </message>
    <message>
        <source>Other computers always need a key.</source>
        <translation>其他电脑始终需要密钥。</translation>
    </message>
    <message>
        <source>Unknown names go to your first model.</source>
        <translation>未知名称由第一个模型处理。</translation>
    </message>
    <message>
        <source>When off, new sessions are refused at the limit.</source>
        <translation>关闭时，达到上限后会拒绝新会话。</translation>
    </message>
    <message>
        <source>Your settings couldn’t be read. Changes aren’t saved until you quit Stretto.</source>
        <translation>无法读取你的设置。退出 Stretto 之前，更改不会保存。</translation>
    </message>
    <message>
        <source>Your settings couldn’t be read and were reset. The old file is kept as {name}.</source>
        <translation>无法读取你的设置，已还原为默认值。旧文件保留为 {name}。</translation>
    </message>
    <message>
        <source>Spell check needs enchant (libenchant-2) and a dictionary for your language. Install them, then restart Stretto.</source>
        <translation>拼写检查需要 enchant (libenchant-2) 和所用语言的词典。请安装后重启 Stretto。</translation>
    </message>
    <message>
        <source>No dictionary for your language. Install one, for example from hunspell, or choose another language.</source>
        <translation>没有所用语言的词典。请安装一个（例如 hunspell 的），或选择其他语言。</translation>
    </message>
    <message>
        <source>The file {path} is damaged or wasn’t created by Stretto. It hasn’t been changed. Stretto can recover what is readable into a new file or start with an empty one. The damaged file is kept.</source>
        <translation>文件 {path} 已损坏，或不是由 Stretto 创建。文件未作更改。Stretto 可将可读取的内容恢复到新文件，或从空文件开始。损坏的文件会保留。</translation>
    </message>
    <message>
        <source>Nothing in {path} could be read. The file hasn’t been changed. Restore a backup, or set the file aside and start with an empty one.</source>
        <translation>无法从 {path} 读取任何内容。文件未作更改。请恢复备份，或将文件移开并从空文件开始。</translation>
    </message>
    <message>
        <source>The chats in {path} were last used by a newer version of Stretto, and this version could damage them. Nothing has been changed. Open them with the newer version, or set the file aside and start with an empty one.</source>
        <translation>{path} 中的对话上次由更新版本的 Stretto 使用，此版本可能会损坏它们。尚未作任何更改。请用更新的版本打开，或将文件移开并从空文件开始。</translation>
    </message>
    <message>
        <source>One change couldn’t be saved ({what}: {error}). All other changes are saved. Please report this error.</source>
        <translation>有一项更改无法保存（{what}：{error}）。其他更改均已保存。请报告此错误。</translation>
    </message>
    <message>
        <source>Your chats can’t be opened because the disk with {path} is full. Nothing is lost. Free some space, then try again.</source>
        <translation>{path} 所在的磁盘已满，无法打开你的对话。没有任何内容丢失。请释放空间，然后重试。</translation>
    </message>
    <message>
        <source>Your latest messages aren’t saved yet because the disk with {path} is full. Free some space. Stretto tries again by itself.</source>
        <translation>{path} 所在的磁盘已满，最新消息尚未保存。请释放空间，Stretto 会自动重试。</translation>
    </message>
    <message>
        <source>Stretto has no permission to write to {path}. Make the folder and its file writable and try again, or use another folder. Your chats are copied there.</source>
        <translation>Stretto 没有写入 {path} 的权限。请将文件夹及其中的文件设为可写后重试，或使用其他文件夹，你的对话会复制到那里。</translation>
    </message>
    <message>
        <source>The chats in {path} couldn’t be read or saved ({error}). Check that the disk is connected and has free space, then try again.</source>
        <translation>无法读取或保存 {path} 中的对话（{error}）。请确认磁盘已连接且有可用空间，然后重试。</translation>
    </message>
    <message>
        <source>The update information isn’t signed by the makers of Stretto.</source>
        <translation>更新信息没有 Stretto 开发者的签名。</translation>
    </message>
    <message>
        <source>The update information couldn’t be read.</source>
        <translation>无法读取更新信息。</translation>
    </message>
    <message>
        <source>the request was redirected</source>
        <translation>请求被重定向</translation>
    </message>
    <message>
        <source>No response: {why}.</source>
        <translation>没有响应：{why}。</translation>
    </message>
    <message>
        <source>The check failed. See the log.</source>
        <translation>检查失败。请查看日志。</translation>
    </message>
    <message>
        <source>New comparison</source>
        <translation>新对比</translation>
    </message>
    <message>
        <source>The replies appear in this chat, and use its history and settings.</source>
        <translation>回复将显示在此对话中，并使用其历史记录和设置。</translation>
    </message>
    <message>
        <source>Message: {excerpt}</source>
        <translation>消息：{excerpt}</translation>
    </message>
    <message>
        <source>Example: three roles</source>
        <translation>示例：三种角色</translation>
    </message>
    <message>
        <source>Choose a saved comparison first.</source>
        <translation>请先选择已保存的对比。</translation>
    </message>
    <message>
        <source>Everything, including all branches and attached files. Can be imported again.</source>
        <translation>全部内容，包括所有分支和附加文件。可以重新导入。</translation>
    </message>
    <message>
        <source>The current branch. Attached files are only named.</source>
        <translation>当前分支。附加文件只列出名称。</translation>
    </message>
    <message>
        <source>The current branch in one file. Attached files are only named.</source>
        <translation>当前分支，单个文件。附加文件只列出名称。</translation>
    </message>
    <message>
        <source>The current branch without formatting. Attached files are only named.</source>
        <translation>当前分支，不含格式。附加文件只列出名称。</translation>
    </message>
    <message>
        <source>The current branch, ready to print. Attached files are only named.</source>
        <translation>当前分支，可直接打印。附加文件只列出名称。</translation>
    </message>
    <message>
        <source>Without a GPU, expect slow replies.</source>
        <translation>没有 GPU，回复会较慢。</translation>
    </message>
    <message>
        <source>{verdict}. Needs {total} of the {free} that models can use: {weights} for weights, {caches} for {chats} of {tokens}, and {working} of working memory.</source>
        <translation>{verdict}。需要模型可用的 {free} 中的 {total}：权重 {weights}，{chats}（每个 {tokens}）{caches}，工作内存 {working}。</translation>
    </message>
    <message>
        <source>Fits, slow</source>
        <translation>放得下，较慢</translation>
    </message>
    <message>
        <source>{verdict}. Needs {weights} of the {room} that models can use, plus some memory for each chat.</source>
        <translation>{verdict}。需要模型可用的 {room} 中的 {weights}，另加每个对话的少量内存。</translation>
    </message>
    <message>
        <source>This server is on this computer.</source>
        <translation>此服务器在这台电脑上。</translation>
    </message>
    <message>
        <source>Describe a quiet morning in one paragraph</source>
        <translation>用一段话描写一个宁静的早晨</translation>
    </message>
    <message>
        <source>What is a black hole? Answer in two sentences.</source>
        <translation>什么是黑洞？请用两句话说明。</translation>
    </message>
    <message>
        <source>Give me three tips for a good night’s sleep</source>
        <translation>给我三个睡好觉的建议</translation>
    </message>
    <message>
        <source>Describe autumn in a forest in one paragraph</source>
        <translation>用一段话描写森林里的秋天</translation>
    </message>
    <message>
        <source>Small, fast, and often wrong. Runs on this computer. Your messages stay here.</source>
        <translation>小巧快速，但经常出错。在这台电脑上运行。你的消息留在这里。</translation>
    </message>
    <message>
        <source>A small model for any topic, fast and often wrong</source>
        <translation>什么都能聊的小模型，快速但经常出错</translation>
    </message>
    <message>
        <source>Asks {name} the same question four times</source>
        <translation>向 {name} 提出同一问题四次</translation>
    </message>
    <message>
        <source>Too long: {tokens}</source>
        <translation>过长：{tokens}</translation>
    </message>
    <message>
        <source>up to date</source>
        <translation>已是最新</translation>
    </message>
    <message>
        <source>Following {title}</source>
        <translation>正在跟随 {title}</translation>
    </message>
    <message>
        <source>Tools for This Chat</source>
        <translation>此对话的工具</translation>
    </message>
    <message>
        <source>Reproducible (slower)</source>
        <translation>可重现（较慢）</translation>
    </message>
    <message>
        <source>Interrupts the reply as soon as possible.</source>
        <translation>将尽快中断回复并发送。</translation>
    </message>
    <message>
        <source>Open as Chats</source>
        <translation>作为对话打开</translation>
    </message>
    <message>
        <source>There is nothing to save.</source>
        <translation>没有需要保存的内容。</translation>
    </message>
    <message>
        <source>Previous  Shift+Enter</source>
        <translation>上一个  Shift+Enter</translation>
    </message>
    <message>
        <source>Next  Enter</source>
        <translation>下一个  Enter</translation>
    </message>
    <message>
        <source>Delete Message</source>
        <translation>删除消息</translation>
    </message>
    <message>
        <source>Choose Another Model…</source>
        <translation>选择其他模型…</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>回复</translation>
    </message>
    <message>
        <source>Copy Reply</source>
        <translation>复制回复</translation>
    </message>
    <message>
        <source>Regenerate  Ctrl+R</source>
        <translation>重新生成  Ctrl+R</translation>
    </message>
    <message>
        <source>Regenerate with Same Seed  Ctrl+Shift+R</source>
        <translation>用相同种子重新生成  Ctrl+Shift+R</translation>
    </message>
    <message>
        <source>Branch in New Chat</source>
        <translation>在新对话中创建分支</translation>
    </message>
    <message>
        <source>Delete from Here</source>
        <translation>从此处删除</translation>
    </message>
    <message>
        <source>Empty reply</source>
        <translation>空回复</translation>
    </message>
    <message>
        <source>Continue this reply</source>
        <translation>继续此回复</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>length limit reached</source>
        <translation>已达长度上限</translation>
    </message>
    <message>
        <source>memory full</source>
        <translation>内存已满</translation>
    </message>
    <message>
        <source>may be incomplete</source>
        <translation>可能不完整</translation>
    </message>
    <message>
        <source>attached: {name}</source>
        <translation>附件：{name}</translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more character</source>
        <comment>… %Ln more characters</comment>
        <translation>
            <numerusform>… 还有 %Ln 个字符</numerusform>
        </translation>
    </message>
    <message>
        <source>Show Text Sent to the Model</source>
        <translation>显示发送给模型的文本</translation>
    </message>
    <message>
        <source>Text of {name}</source>
        <translation>{name} 的文本</translation>
    </message>
    <message>
        <source>The text is no longer available.</source>
        <translation>文本已不可用。</translation>
    </message>
    <message>
        <source>The rest isn’t shown.</source>
        <translation>其余内容未显示。</translation>
    </message>
    <message>
        <source>Unwrap Lines</source>
        <translation>取消自动换行</translation>
    </message>
    <message>
        <source>Wrap Lines</source>
        <translation>自动换行</translation>
    </message>
    <message>
        <source>No longer in context</source>
        <translation>已不在上下文中</translation>
    </message>
    <message>
        <source>Edit in New Chat</source>
        <translation>在新对话中编辑</translation>
    </message>
    <message>
        <source>Show More</source>
        <translation>显示更多</translation>
    </message>
    <message>
        <source>Show Less</source>
        <translation>收起</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>reading the prompt</source>
        <translation>正在读取提示词</translation>
    </message>
    <message>
        <source>waiting for you</source>
        <translation>等你操作</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message numerus="yes">
        <source>{title}: {state}, %Ln tokens in memory</source>
        <comment>{title}: {state}, %Ln tokens in memory</comment>
        <translation>
            <numerusform>{title}：{state}，内存中有 %Ln 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>queued, no. {place}</source>
        <translation>排队中，第 {place} 位</translation>
    </message>
    <message>
        <source>{all} in use · chats {kv}</source>
        <translation>已用 {all} · 对话 {kv}</translation>
    </message>
    <message>
        <source>models {models} · chats {kv}</source>
        <translation>模型 {models} · 对话 {kv}</translation>
    </message>
    <message>
        <source>context of chats</source>
        <translation>对话的上下文</translation>
    </message>
    <message>
        <source>free, kept for reuse</source>
        <translation>空闲，留待复用</translation>
    </message>
    <message>
        <source>Stretto</source>
        <translation>Stretto</translation>
    </message>
    <message>
        <source>Memory in use: {size}</source>
        <translation>已用内存：{size}</translation>
    </message>
    <message>
        <source>Models and chats use {used} of {most}.</source>
        <translation>模型和对话已用 {used}，共 {most}。</translation>
    </message>
    <message>
        <source>Memory: models {weights}, chats {kv}</source>
        <translation>内存：模型 {weights}，对话 {kv}</translation>
    </message>
    <message>
        <source>Close Score  Ctrl+J</source>
        <translation>关闭总谱  Ctrl+J</translation>
    </message>
    <message>
        <source>Chats appear here while they reply.</source>
        <translation>正在回复的对话会显示在这里。</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Scroll to End</source>
        <translation>滚动到末尾</translation>
    </message>
    <message>
        <source>Discard your changes?</source>
        <translation>放弃更改吗？</translation>
    </message>
    <message>
        <source>Keep Editing</source>
        <translation>继续编辑</translation>
    </message>
    <message>
        <source>Stretto {version} is available</source>
        <translation>Stretto {version} 现已可用</translation>
    </message>
    <message>
        <source>You have {version}. Your chats aren’t affected.</source>
        <translation>你的版本为 {version}。对话不受影响。</translation>
    </message>
    <message>
        <source>Cancel and Delete</source>
        <translation>取消并删除</translation>
    </message>
    <message>
        <source>Enter a name first</source>
        <translation>请先输入名称</translation>
    </message>
    <message>
        <source>Type / in an empty message to insert a prompt. Tab moves through its {{variables}}.</source>
        <translation>在空白消息中输入 / 可插入提示词。按 Tab 在其 {{variables}} 间移动。</translation>
    </message>
    <message>
        <source>Choose New to create your first prompt.</source>
        <translation>选择“新建”以创建第一个提示词。</translation>
    </message>
    <message>
        <source>Restore and Restart</source>
        <translation>恢复并重启</translation>
    </message>
    <message>
        <source>Delete Permanently</source>
        <translation>永久删除</translation>
    </message>
    <message>
        <source>The Trash is empty.</source>
        <translation>废纸篓为空。</translation>
    </message>
    <message>
        <source>deleted permanently tomorrow</source>
        <translation>明天永久删除</translation>
    </message>
    <message>
        <source>deleted permanently today</source>
        <translation>今天永久删除</translation>
    </message>
    <message>
        <source>Select two or more computers and a model.</source>
        <translation>选择两台或更多电脑和一个模型。</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>电脑</translation>
    </message>
    <message>
        <source>Compares connection and speed with a single computer</source>
        <translation>与单台电脑对比连接和速度</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>这台电脑</translation>
    </message>
    <message>
        <source>“local” is this computer. Choose another name.</source>
        <translation>“local”指这台电脑。请选择其他名称。</translation>
    </message>
    <message>
        <source>Choose one, then enter its key.</source>
        <translation>选择一个，然后输入其密钥。</translation>
    </message>
    <message>
        <source>Stored in your keychain and sent only to this address.</source>
        <translation>保存在你的钥匙串中，只发送到此地址。</translation>
    </message>
    <message>
        <source>Messages to this model leave this computer and go to {host}.</source>
        <translation>发给此模型的消息会离开这台电脑，发送到 {host}。</translation>
    </message>
    <message>
        <source>The connection isn’t encrypted: others on the network can read your messages and the key.</source>
        <translation>连接未加密：网络上的其他人可以读取你的消息和密钥。</translation>
    </message>
    <message>
        <source>Enter an address and choose or type a model.</source>
        <translation>输入地址，然后选择或输入模型。</translation>
    </message>
    <message>
        <source>Optional</source>
        <translation>可选</translation>
    </message>
    <message>
        <source>Get Model List</source>
        <translation>获取模型列表</translation>
    </message>
    <message>
        <source>Asks the server which models it has. Nothing else is sent.</source>
        <translation>向服务器查询其模型。不发送其他内容。</translation>
    </message>
    <message>
        <source>{name} removed from the list. Its chats stay.</source>
        <translation>已从列表中移除 {name}。其对话会保留。</translation>
    </message>
    <message>
        <source>Model Card</source>
        <translation>模型卡片</translation>
    </message>
    <message>
        <source>Asks Hugging Face about this model</source>
        <translation>向 Hugging Face 查询此模型</translation>
    </message>
    <message>
        <source>Already on this computer.</source>
        <translation>已在这台电脑上。</translation>
    </message>
    <message>
        <source>This version of Stretto doesn’t support its architecture.</source>
        <translation>此版本的 Stretto 不支持其架构。</translation>
    </message>
    <message>
        <source>The keychain couldn’t store the token. Stretto forgets it when you quit.</source>
        <translation>钥匙串无法保存令牌。退出后 Stretto 会忘记它。</translation>
    </message>
    <message>
        <source>An access token is sent to Hugging Face.</source>
        <translation>会向 Hugging Face 发送访问令牌。</translation>
    </message>
    <message>
        <source>Remove access token</source>
        <translation>移除访问令牌</translation>
    </message>
    <message>
        <source>Open Model Page</source>
        <translation>打开模型页面</translation>
    </message>
    <message>
        <source>The server lists no models. Type the name of one.</source>
        <translation>服务器未列出模型。请输入模型名称。</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在这台电脑上</translation>
    </message>
    <message>
        <source>On another computer</source>
        <translation>在其他电脑上</translation>
    </message>
    <message>
        <source>Pin/Unpin Chat</source>
        <translation>置顶/取消置顶对话</translation>
    </message>
    <message>
        <source>Archive/Unarchive Chat</source>
        <translation>归档/取消归档对话</translation>
    </message>
    <message>
        <source>Pause/Resume Reply</source>
        <translation>暂停/继续回复</translation>
    </message>
    <message>
        <source>Attach Files…  Ctrl+Shift+A</source>
        <translation>附加文件…  Ctrl+Shift+A</translation>
    </message>
    <message>
        <source>Cancel Edit  Esc</source>
        <translation>取消编辑  Esc</translation>
    </message>
    <message>
        <source>Editing. The original is kept.</source>
        <translation>正在编辑。原文会保留。</translation>
    </message>
    <message>
        <source>Remove {name}  Del</source>
        <translation>移除 {name}  Del</translation>
    </message>
    <message>
        <source>Choose What to Send…</source>
        <translation>选择要发送的部分…</translation>
    </message>
    <message>
        <source>Messages go to {host}.</source>
        <translation>消息会发送到 {host}。</translation>
    </message>
    <message>
        <source>Messages go to {host} on this computer.</source>
        <translation>消息会发送到这台电脑上的 {host}。</translation>
    </message>
    <message>
        <source>{host} replies, on this computer.</source>
        <translation>由这台电脑上的 {host} 回复。</translation>
    </message>
    <message>
        <source>A remote model. What you send in this chat goes to {host}.</source>
        <translation>远程模型。你在此对话中发送的内容会发往 {host}。</translation>
    </message>
    <message>
        <source>Tool results are sent to {host}.</source>
        <translation>工具结果会发送到 {host}。</translation>
    </message>
    <message>
        <source>{host} doesn’t support {names}. Token counts follow each reply.</source>
        <translation>{host} 不支持 {names}。每次回复后显示 token 数。</translation>
    </message>
    <message>
        <source>{context}, {count} cached</source>
        <translation>{context}，缓存 {count}</translation>
    </message>
    <message>
        <source>Choose Model…</source>
        <translation>选择模型…</translation>
    </message>
    <message>
        <source>Chat Settings</source>
        <translation>对话设置</translation>
    </message>
    <message>
        <source>Chat Settings…</source>
        <translation>对话设置…</translation>
    </message>
    <message>
        <source>Reply format</source>
        <translation>回复格式</translation>
    </message>
    <message>
        <source>Every reply has this format</source>
        <translation>每条回复都采用此格式</translation>
    </message>
    <message>
        <source>One choice per line</source>
        <translation>每行一个选项</translation>
    </message>
    <message>
        <source>One choice per line; \n is a line break</source>
        <translation>每行一个选项；\n 表示换行</translation>
    </message>
    <message>
        <source>A regular expression that the whole reply matches</source>
        <translation>整条回复须匹配的正则表达式</translation>
    </message>
    <message>
        <source>Before replying</source>
        <translation>回复之前</translation>
    </message>
    <message>
        <source>How the model should reply in this chat</source>
        <translation>模型在此对话中应如何回复</translation>
    </message>
    <message>
        <source>Saved settings</source>
        <translation>已保存的设置</translation>
    </message>
    <message>
        <source>Reuse Last</source>
        <translation>沿用上次</translation>
    </message>
    <message>
        <source>Use the seed of the last reply</source>
        <translation>使用最后一条回复的种子</translation>
    </message>
    <message>
        <source>New seed for each reply</source>
        <translation>每条回复使用新种子</translation>
    </message>
    <message>
        <source>Stop sequences</source>
        <translation>停止序列</translation>
    </message>
    <message>
        <source>One text per line</source>
        <translation>每行一段文本</translation>
    </message>
    <message>
        <source>The reply stops at any of these texts. One per line, with \n for a line break.</source>
        <translation>出现其中任一文本时停止回复。每行一段，\n 表示换行。</translation>
    </message>
    <message>
        <source>Token limit for this chat. Lower uses less memory.</source>
        <translation>此对话的 token 上限。越小占用内存越少。</translation>
    </message>
    <message>
        <source>Applies to the next reply.</source>
        <translation>从下一条回复开始生效。</translation>
    </message>
    <message>
        <source>Fewer Settings</source>
        <translation>更少设置</translation>
    </message>
    <message>
        <source>More Settings</source>
        <translation>更多设置</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>{name} attached, {about}</source>
        <translation>已附加 {name}，{about}</translation>
    </message>
    <message>
        <source>reading {page} of {count}…</source>
        <translation>正在读取第 {page}/{count} 页…</translation>
    </message>
    <message>
        <source>No longer following “{name}”</source>
        <translation>已停止跟随“{name}”</translation>
    </message>
    <message>
        <source>{name} removed</source>
        <translation>已移除 {name}</translation>
    </message>
    <message>
        <source>Show Image</source>
        <translation>显示图片</translation>
    </message>
    <message>
        <source>Pages as Images</source>
        <translation>以图片形式发送页面</translation>
    </message>
    <message>
        <source>Scanned Pages as Images</source>
        <translation>以图片形式发送扫描页</translation>
    </message>
    <message>
        <source>Extract Text of Scanned Pages</source>
        <translation>提取扫描页的文字</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Insert as Text</source>
        <translation>作为文本插入</translation>
    </message>
    <message>
        <source>Remove Attachment</source>
        <translation>移除附件</translation>
    </message>
    <message>
        <source>Port {port} is in use. Choose another port.</source>
        <translation>端口 {port} 已被占用。请选择其他端口。</translation>
    </message>
    <message>
        <source>Port {port} can’t be used ({why}). Choose another port.</source>
        <translation>无法使用端口 {port}（{why}）。请选择其他端口。</translation>
    </message>
    <message>
        <source>You stopped the reply.</source>
        <translation>你已停止回复。</translation>
    </message>
    <message>
        <source>The reply failed.</source>
        <translation>回复失败。</translation>
    </message>
    <message>
        <source>The reply was interrupted.</source>
        <translation>回复已中断。</translation>
    </message>
    <message>
        <source>Not sent. {why}</source>
        <translation>未发送。{why}</translation>
    </message>
    <message>
        <source>Not sent yet.</source>
        <translation>尚未发送。</translation>
    </message>
    <message numerus="yes">
        <source>%n message deleted</source>
        <comment>%n messages deleted</comment>
        <translation>
            <numerusform>已删除 %n 条消息</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat gets it when its reply ends</source>
        <comment>%n chats get it when their replies end</comment>
        <translation>
            <numerusform>%n 个对话将在回复结束后收到</numerusform>
        </translation>
    </message>
    <message>
        <source>translation, locale</source>
        <translation>翻译、地区、语言</translation>
    </message>
    <message>
        <source>Enter key, Return key, new line</source>
        <translation>回车键、换行</translation>
    </message>
    <message>
        <source>clipboard, paste</source>
        <translation>剪贴板、粘贴</translation>
    </message>
    <message>
        <source>spellcheck, dictionary, typos</source>
        <translation>拼写检查、词典、错别字</translation>
    </message>
    <message>
        <source>notifications, alerts, sound</source>
        <translation>通知、提醒、声音</translation>
    </message>
    <message>
        <source>keys, hotkeys, key bindings</source>
        <translation>按键、快捷键、键位</translation>
    </message>
    <message>
        <source>upgrade, new version</source>
        <translation>升级、新版本</translation>
    </message>
    <message>
        <source>dark mode, light mode, night, appearance, colors</source>
        <translation>深色模式、浅色模式、夜间、外观、颜色</translation>
    </message>
    <message>
        <source>accessibility, readability</source>
        <translation>辅助功能、可读性</translation>
    </message>
    <message>
        <source>font size, scale, larger, smaller</source>
        <translation>字体大小、缩放、更大、更小</translation>
    </message>
    <message>
        <source>font size, larger, smaller</source>
        <translation>字体大小、更大、更小</translation>
    </message>
    <message>
        <source>animations, effects</source>
        <translation>动画、效果</translation>
    </message>
    <message>
        <source>titles</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>default model</source>
        <translation>默认模型</translation>
    </message>
    <message>
        <source>creativity, randomness, sampling</source>
        <translation>创造性、随机性、采样</translation>
    </message>
    <message>
        <source>maximum tokens, length</source>
        <translation>最大 token、长度</translation>
    </message>
    <message>
        <source>context window, overflow</source>
        <translation>上下文窗口、溢出</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>RAM、内存</translation>
    </message>
    <message>
        <source>free memory</source>
        <translation>释放内存</translation>
    </message>
    <message>
        <source>HTTP, OpenAI, endpoint</source>
        <translation>HTTP、OpenAI、端点</translation>
    </message>
    <message>
        <source>network, LAN</source>
        <translation>网络、局域网</translation>
    </message>
    <message>
        <source>access, password</source>
        <translation>访问、密码</translation>
    </message>
    <message>
        <source>plugins, extensions, connectors</source>
        <translation>插件、扩展、连接器</translation>
    </message>
    <message>
        <source>storage, space</source>
        <translation>存储、空间</translation>
    </message>
    <message>
        <source>recover, earlier state</source>
        <translation>恢复、较早的状态</translation>
    </message>
    <message>
        <source>deleted chats</source>
        <translation>已删除的对话</translation>
    </message>
    <message>
        <source>No settings found</source>
        <translation>未找到设置</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>显示较少</translation>
    </message>
    <message>
        <source>My chats first</source>
        <translation>我的对话优先</translation>
    </message>
    <message>
        <source>Equal</source>
        <translation>同等</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>优先级</translation>
    </message>
    <message>
        <source>Who goes first when the model is busy</source>
        <translation>模型忙碌时谁优先</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>running a tool for {time}</source>
        <translation>工具已运行 {time}</translation>
    </message>
    <message>
        <source>waiting for the model</source>
        <translation>正在等待模型</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>正在排队</translation>
    </message>
    <message>
        <source>reading {share} of {total}</source>
        <translation>正在读取 {total} 的 {share}</translation>
    </message>
    <message>
        <source>reading {share} of {total} ({known} cached)</source>
        <translation>正在读取 {total} 的 {share}（{known} 已缓存）</translation>
    </message>
    <message>
        <source>{share} of context</source>
        <translation>上下文的 {share}</translation>
    </message>
    <message>
        <source>Save as Chat</source>
        <translation>存储为对话</translation>
    </message>
    <message>
        <source>Too long to be saved as a chat.</source>
        <translation>太长，无法存储为对话。</translation>
    </message>
    <message>
        <source>Stop this agent</source>
        <translation>停止此智能体</translation>
    </message>
    <message>
        <source>sub-agent</source>
        <translation>子智能体</translation>
    </message>
    <message>
        <source>Stop all of them</source>
        <translation>全部停止</translation>
    </message>
    <message numerus="yes">
        <source>{program} · %n agent</source>
        <comment>{program} · %n agents</comment>
        <translation>
            <numerusform>{program} · %n 个智能体</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n busy</source>
        <comment>%n busy</comment>
        <translation>
            <numerusform>%n 个忙碌</numerusform>
        </translation>
    </message>
    <message>
        <source>Shuffles the replies and hides names until you keep one</source>
        <translation>打乱回复并隐藏名称，直到你保留一条</translation>
    </message>
    <message>
        <source>See Four Replies</source>
        <translation>查看四条回复</translation>
    </message>
    <message>
        <source>Leave Broadcast</source>
        <translation>退出群发</translation>
    </message>
    <message>
        <source>Join Broadcast</source>
        <translation>加入群发</translation>
    </message>
    <message>
        <source>{name} kept</source>
        <translation>已保留 {name}</translation>
    </message>
    <message>
        <source>{name} kept, {kept} of {times} times so far</source>
        <translation>已保留 {name}，目前 {times} 次中有 {kept} 次</translation>
    </message>
    <message>
        <source>Unpin Chat</source>
        <translation>取消置顶对话</translation>
    </message>
    <message>
        <source>Pin Chat</source>
        <translation>置顶对话</translation>
    </message>
    <message>
        <source>Unarchive Chat</source>
        <translation>取消归档对话</translation>
    </message>
    <message>
        <source>Archive Chat</source>
        <translation>归档对话</translation>
    </message>
    <message>
        <source>Same as Current Chat</source>
        <translation>与当前对话相同</translation>
    </message>
    <message>
        <source>This chat has no folders.</source>
        <translation>此对话没有文件夹。</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>未找到任何内容。</translation>
    </message>
    <message>
        <source>This folder is empty.</source>
        <translation>此文件夹为空。</translation>
    </message>
    <message>
        <source>The code printed nothing.</source>
        <translation>代码没有输出任何内容。</translation>
    </message>
    <message numerus="yes">
        <source>%n byte written to {path}</source>
        <comment>%n bytes written to {path}</comment>
        <translation>
            <numerusform>已将 %n 字节写入 {path}</numerusform>
        </translation>
    </message>
    <message>
        <source>Broadcast later messages too</source>
        <translation>之后的消息也群发</translation>
    </message>
    <message>
        <source>Enter chooses what the model gets, Delete removes the file</source>
        <translation>按 Enter 选择提供给模型的内容，按 Delete 移除文件</translation>
    </message>
    <message>
        <source>“{name}” isn’t filled in yet. Press Enter again to send it anyway.</source>
        <translation>“{name}”尚未填写。再按一次 Enter 仍然发送。</translation>
    </message>
    <message>
        <source>Stretto backs up your chats once a day and before each update, and keeps the last three backups. When you restore one, your current chats are kept in a separate file.</source>
        <translation>Stretto 每天及每次更新前都会备份你的对话，并保留最近三份备份。恢复其中一份时，当前的对话会另存为单独的文件。</translation>
    </message>
    <message>
        <source>No backups yet. Stretto makes the first one the next day you use it.</source>
        <translation>还没有备份。你下次换一天使用时，Stretto 会创建第一份。</translation>
    </message>
    <message>
        <source>Your chats are saved. The report contains versions and stack traces, none of your chats, and stays on this computer unless you share it.</source>
        <translation>你的对话已保存。此报告包含版本信息和堆栈跟踪，不含任何对话内容；除非你自行分享，否则只留在这台电脑上。</translation>
    </message>
    <message>
        <source>Your chats were used by a newer version of Stretto</source>
        <translation>你的对话曾由更新版本的 Stretto 使用</translation>
    </message>
    <message>
        <source>Stretto has no permission to write to {place}. Make it writable, then try again.</source>
        <translation>Stretto 没有写入 {place} 的权限。请将其设为可写，然后重试。</translation>
    </message>
    <message>
        <source>Recover What Can Be Read</source>
        <translation>恢复可读取的内容</translation>
    </message>
    <message>
        <source>{cause} Changes that aren’t saved when you quit are lost.</source>
        <translation>{cause} 退出时尚未保存的更改将会丢失。</translation>
    </message>
    <message>
        <source>Stretto is already running but not responding</source>
        <translation>Stretto 已在运行，但没有响应</translation>
    </message>
    <message>
        <source>Another copy of Stretto has these chats open. Wait a moment and try again, or quit the other copy first.</source>
        <translation>另一个 Stretto 副本已打开这些对话。请稍候重试，或先退出另一个。</translation>
    </message>
    <message>
        <source>Local chats side by side, all replying at the same time. What you write to local models stays on this computer.</source>
        <translation>本地对话并排进行，同时回复。你写给本地模型的内容只留在这台电脑上。</translation>
    </message>
    <message>
        <source>Chats to export</source>
        <translation>要导出的对话</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>of what is exported</comment>
        <translation>格式</translation>
    </message>
    <message>
        <source>Include reasoning</source>
        <translation>包括思考</translation>
    </message>
    <message>
        <source>Export progress</source>
        <translation>导出进度</translation>
    </message>
    <message>
        <source>Always included in JSON</source>
        <translation>JSON 中始终包含</translation>
    </message>
    <message>
        <source>Export to Folder</source>
        <translation>导出到文件夹</translation>
    </message>
    <message>
        <source>Import JSON from Stretto, data exports from ChatGPT and Claude (the ZIP archive or the conversations.json in it), exports from Open WebUI, and chat files from LM Studio. Chats you already have aren’t changed.</source>
        <translation>可导入 Stretto 的 JSON、ChatGPT 和 Claude 的数据导出（ZIP 压缩包或其中的 conversations.json）、Open WebUI 的导出文件，以及 LM Studio 的对话文件。已有的对话保持不变。</translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation>导入进度</translation>
    </message>
    <message>
        <source>Not imported</source>
        <translation>未导入的内容</translation>
    </message>
    <message>
        <source>Such as LM Studio’s chats folder</source>
        <translation>例如 LM Studio 的对话文件夹</translation>
    </message>
    <message>
        <source>Import Folder</source>
        <translation>导入文件夹</translation>
    </message>
    <message>
        <source>Stretto is available under the MIT license. Qt, PySide6, and Qt Advanced Docking are used under the LGPL as separate libraries, which you may replace with your own builds.</source>
        <translation>Stretto 采用 MIT 许可证。Qt、PySide6 和 Qt Advanced Docking 作为独立库按 LGPL 使用，你可以换成自己构建的版本。</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>组件</translation>
    </message>
    <message>
        <source>“{name}” already exists. Replace it?</source>
        <translation>“{name}”已存在。要替换吗？</translation>
    </message>
    <message>
        <source>Prompt text</source>
        <translation>提示词文本</translation>
    </message>
    <message>
        <source>There’s no deleted prompt to restore</source>
        <translation>没有已删除的提示词可恢复</translation>
    </message>
    <message>
        <source>Another prompt has this name. This one is still called “{before}”.</source>
        <translation>已有同名的提示词。名称仍为“{before}”。</translation>
    </message>
    <message numerus="yes">
        <source>Deleted chats stay here for %n day and are then deleted permanently.</source>
        <comment>Deleted chats stay here for %n days and are then deleted permanently.</comment>
        <translation>
            <numerusform>已删除的对话在此保留 %n 天，之后将永久删除。</numerusform>
        </translation>
    </message>
    <message>
        <source>Damaged files that were set aside may still contain text of deleted chats: {files}</source>
        <translation>已移开的损坏文件中可能仍有已删除对话的文本：{files}</translation>
    </message>
    <message>
        <source>Delete “{title}” permanently, from backups too? This can’t be undone.</source>
        <translation>要永久删除“{title}”（包括备份中的）吗？此操作无法撤销。</translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln chat permanently, from backups too? This can’t be undone.</source>
        <comment>Delete %Ln chats permanently, from backups too? This can’t be undone.</comment>
        <translation>
            <numerusform>要永久删除 %Ln 个对话（包括备份中的）吗？此操作无法撤销。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day left</source>
        <comment>%n days left</comment>
        <translation>
            <numerusform>剩余 %n 天</numerusform>
        </translation>
    </message>
    <message>
        <source>The download page lists what’s new.</source>
        <translation>下载页面上有新功能介绍。</translation>
    </message>
    <message>
        <source>What’s new</source>
        <translation>新功能</translation>
    </message>
    <message>
        <source>JSON schema</source>
        <translation>JSON Schema</translation>
    </message>
    <message>
        <source>List of choices</source>
        <translation>选项列表</translation>
    </message>
    <message>
        <source>Split a model that’s too large for one computer across several. Each needs the same version of Stretto, the model’s files, and SSH access without a password.</source>
        <translation>将单台电脑装不下的模型分布到多台电脑上运行，每台承担一部分。所有电脑都需要相同版本的 Stretto、模型文件以及免密码 SSH 访问。</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>user@host, or local</source>
        <translation>用户@主机，或 local</translation>
    </message>
    <message>
        <source>Command, such as stretto</source>
        <translation>命令，例如 stretto</translation>
    </message>
    <message numerus="yes">
        <source>{weights}, group size %n</source>
        <comment>{weights}, group size %n</comment>
        <translation>
            <numerusform>{weights}，组大小 %n</numerusform>
        </translation>
    </message>
    <message>
        <source>{weights}, some layers differ</source>
        <translation>{weights}；部分层不同</translation>
    </message>
    <message>
        <source>{name} hasn’t drafted any tokens yet.</source>
        <translation>{name} 尚未起草任何 token。</translation>
    </message>
    <message numerus="yes">
        <source>{name} has drafted %Ln token; {share} accepted.</source>
        <comment>{name} has drafted %Ln tokens; {share} accepted.</comment>
        <translation>
            <numerusform>{name} 起草了 %Ln 个 token，其中 {share} 被采用。</numerusform>
        </translation>
    </message>
    <message>
        <source>Make It Fit…</source>
        <translation>显示可行方案…</translation>
    </message>
    <message numerus="yes">
        <source>Pasted text attached as a file, %Ln character</source>
        <comment>Pasted text attached as a file, %Ln characters</comment>
        <translation>
            <numerusform>粘贴的文本已作为文件附加，%Ln 个字符</numerusform>
        </translation>
    </message>
    <message>
        <source>Relevant Passages Only</source>
        <translation>仅相关段落</translation>
    </message>
    <message>
        <source>Higher is more random. 0 always picks the most likely token.</source>
        <translation>越高越随机。0 始终选择概率最高的 token。</translation>
    </message>
    <message>
        <source>In tokens, including thinking</source>
        <translation>以 token 计，包括思考</translation>
    </message>
    <message>
        <source>Only the most likely tokens, up to this total probability</source>
        <translation>仅取概率最高的 token，累计至此概率</translation>
    </message>
    <message>
        <source>Only this many of the most likely tokens. 0 means all.</source>
        <translation>仅取概率最高的若干个 token。0 表示全部。</translation>
    </message>
    <message>
        <source>Only tokens at least this likely, relative to the first</source>
        <translation>仅取相对于首位概率不低于此比例的 token</translation>
    </message>
    <message>
        <source>Only tokens of typical probability, up to this total</source>
        <translation>仅取概率典型的 token，累计至此值</translation>
    </message>
    <message>
        <source>How often the most likely tokens are excluded</source>
        <translation>排除概率最高的 token 的频率</translation>
    </message>
    <message>
        <source>Excludes tokens at least this likely</source>
        <translation>排除概率不低于此值的 token</translation>
    </message>
    <message>
        <source>Above 1, recent tokens become less likely</source>
        <translation>大于 1 时，最近出现的 token 概率降低</translation>
    </message>
    <message>
        <source>Applied once to each recent token</source>
        <translation>对每个最近出现的 token 应用一次</translation>
    </message>
    <message>
        <source>Applied each time a token was used</source>
        <translation>token 每出现一次应用一次</translation>
    </message>
    <message>
        <source>as JSON by schema</source>
        <translation>按 Schema 的 JSON</translation>
    </message>
    <message>
        <source>from a list of choices</source>
        <translation>选项之一</translation>
    </message>
    <message>
        <source>by pattern</source>
        <translation>符合正则表达式</translation>
    </message>
    <message numerus="yes">
        <source>It would fit with the KV cache at %n bit.</source>
        <comment>It would fit with the KV cache at %n bits.</comment>
        <translation>
            <numerusform>KV 缓存采用 %n 位时放得下。</numerusform>
        </translation>
    </message>
    <message>
        <source>{count} cached</source>
        <comment>tokens</comment>
        <translation>缓存 {count}</translation>
    </message>
    <message>
        <source>identical</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>not identical</source>
        <translation>不相同</translation>
    </message>
    <message>
        <source>{size} · Ready</source>
        <translation>{size} · 就绪</translation>
    </message>
    <message>
        <source>Waiting for another download</source>
        <translation>正在等待其他下载</translation>
    </message>
    <message>
        <source>Waiting for Hugging Face…</source>
        <translation>正在等待 Hugging Face…</translation>
    </message>
    <message>
        <source>{tool} · Interrupted when Stretto quit</source>
        <translation>{tool} · Stretto 退出时中断</translation>
    </message>
    <message>
        <source>“{field}” looks like a secret. Servers must not ask for secrets in this way. Decline unless you know why.</source>
        <translation>“{field}”像是机密信息。服务器不得以此方式索取机密信息。除非清楚原因，否则请拒绝。</translation>
    </message>
    <message>
        <source>No keychain found. Stretto forgets this key when you quit.</source>
        <translation>未找到钥匙串。退出后 Stretto 会忘记此密钥。</translation>
    </message>
    <message numerus="yes">
        <source>%n model available.</source>
        <comment>%n models available.</comment>
        <translation>
            <numerusform>%n 个模型可用。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replying · {rate} in total</source>
        <comment>%n replying · {rate} in total</comment>
        <translation>
            <numerusform>%n 个正在回复 · 共 {rate}</numerusform>
        </translation>
    </message>
    <message>
        <source>Convert to a smaller copy</source>
        <translation>转换为更小的副本</translation>
    </message>
    <message numerus="yes">
        <source>Use %n-bit KV cache for this chat</source>
        <comment>Use %n-bit KV cache for this chat</comment>
        <translation>
            <numerusform>以 %n 位保存此对话的 KV 缓存</numerusform>
        </translation>
    </message>
    <message>
        <source>Needs {size}. Slightly less accurate.</source>
        <translation>需要 {size}。精度略有降低。</translation>
    </message>
    <message numerus="yes">
        <source>Limit this chat to %Ln token</source>
        <comment>Limit this chat to %Ln tokens</comment>
        <translation>
            <numerusform>将此对话限制为最多 %Ln 个 token</numerusform>
        </translation>
    </message>
    <message>
        <source>Needs {size}. You can change this in the chat’s settings.</source>
        <translation>需要 {size}。可在对话设置中更改。</translation>
    </message>
    <message>
        <source>Needs {size}. Longer chats may run out of memory.</source>
        <translation>需要 {size}。更长的对话可能内存不足。</translation>
    </message>
    <message>
        <source>Its weights need {size}. Already on this computer.</source>
        <translation>权重需要 {size}。已在这台电脑上。</translation>
    </message>
    <message>
        <source>Find a smaller model…</source>
        <translation>查找更小的模型…</translation>
    </message>
    <message>
        <source>Searches Hugging Face.</source>
        <translation>打开 Hugging Face 搜索。</translation>
    </message>
    <message>
        <source>Its weights fit. Chats may run out of memory.</source>
        <translation>权重放得下，但对话可能内存不足。</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>仍然加载</translation>
    </message>
    <message>
        <source>Frees {size}. It loads again when you send.</source>
        <translation>释放 {size}。发送消息时会重新加载。</translation>
    </message>
    <message>
        <source>Frees {size}. They load again when you send.</source>
        <translation>释放 {size}。发送消息时会重新加载。</translation>
    </message>
    <message>
        <source>{name} stays loaded. {why}</source>
        <translation>{name} 保持加载。{why}</translation>
    </message>
    <message>
        <source>Tokens per chat</source>
        <translation>每个对话的 token 数</translation>
    </message>
    <message>
        <source>For {chats} of {tokens}</source>
        <translation>按 {chats}、每个 {tokens}</translation>
    </message>
    <message>
        <source>Sent only to Hugging Face. Stored in your keychain once accepted.</source>
        <translation>仅发送给 Hugging Face，验证通过后保存在钥匙串中。</translation>
    </message>
    <message>
        <source>No keychain found. Stretto forgets this token when you quit.</source>
        <translation>未找到钥匙串。退出后 Stretto 会忘记此令牌。</translation>
    </message>
    <message>
        <source>Blocked because this link attaches a file to an email.</source>
        <translation>已阻止：此链接会将文件附加到电子邮件。</translation>
    </message>
    <message>
        <source>Write an email to this address outside Stretto?</source>
        <translation>要在 Stretto 以外给此地址写邮件吗？</translation>
    </message>
    <message>
        <source>It leads to {place}, not to the text before the “@”:</source>
        <translation>它指向 {place}，而不是“@”前面的内容：</translation>
    </message>
    <message>
        <source>Its message: “{words}”</source>
        <translation>返回的消息：“{words}”</translation>
    </message>
    <message>
        <source>The chat doesn’t fit in the context of {model}.</source>
        <translation>对话超出 {model} 的上下文。</translation>
    </message>
    <message>
        <source>{host} doesn’t support choices or patterns as a reply format. Choose another under “Reply format” in the chat’s settings, such as JSON.</source>
        <translation>{host} 不支持以选项列表或正则表达式作为回复格式。请在对话设置的“回复格式”中选择其他格式，例如 JSON。</translation>
    </message>
    <message>
        <source>No misspelled words found.</source>
        <translation>没有发现拼写错误。</translation>
    </message>
    <message>
        <source>{word} isn’t in the dictionary.</source>
        <translation>词典中没有 {word}。</translation>
    </message>
    <message>
        <source>Suggestions took too long</source>
        <translation>未能及时找到建议</translation>
    </message>
    <message>
        <source>Code, hard questions, room for more chats</source>
        <translation>代码、难题，可容纳更多对话</translation>
    </message>
    <message>
        <source>Nothing found yet. Start the other Stretto with “serve --announce”.</source>
        <translation>尚未找到。请以“serve --announce”启动另一个 Stretto。</translation>
    </message>
    <message>
        <source>Leave out oldest messages when context is full</source>
        <translation>上下文已满时省略最早的消息</translation>
    </message>
    <message>
        <source>Copy code for OpenAI’s library</source>
        <translation>复制 OpenAI 库的代码</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a server</comment>
        <translation>已停止</translation>
    </message>
    <message>
        <source>The file has changed since the changes were shown.</source>
        <translation>显示更改后，文件已发生变化。</translation>
    </message>
    <message>
        <source>“{path}” isn’t an absolute path.</source>
        <translation>“{path}”不是绝对路径。</translation>
    </message>
    <message>
        <source>Only numbers, + - * / // % **, brackets, and common functions are supported.</source>
        <translation>仅支持数字、+ - * / // % **、括号和常用函数。</translation>
    </message>
    <message>
        <source>Tools in this chat can change files in it. You see each change first.  W</source>
        <translation>此对话的工具可以更改其中的文件。每次更改前都会先让你查看。  W</translation>
    </message>
    <message>
        <source>Run every waiting call in this chat  A</source>
        <translation>运行此对话中所有等待中的调用  A</translation>
    </message>
    <message>
        <source>Run none of the waiting calls</source>
        <translation>不运行任何等待中的调用</translation>
    </message>
    <message>
        <source>Stop this call</source>
        <translation>停止此调用</translation>
    </message>
    <message>
        <source>Stop this call and run it again</source>
        <translation>停止此调用并重新执行</translation>
    </message>
    <message>
        <source>Tools in this chat can list, search, and read files in it</source>
        <translation>此对话的工具可以列出、搜索和读取其中的文件</translation>
    </message>
    <message numerus="yes">
        <source>These tools add %Ln token to each prompt.</source>
        <comment>These tools add %Ln tokens to each prompt.</comment>
        <translation>
            <numerusform>这些工具会给每次提示词增加 %Ln 个 token。</numerusform>
        </translation>
    </message>
    <message>
        <source>Not started</source>
        <comment>a server</comment>
        <translation>未启动</translation>
    </message>
    <message>
        <source>Starting…</source>
        <comment>a server</comment>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Running</source>
        <comment>a server</comment>
        <translation>运行中</translation>
    </message>
    <message>
        <source>New or changed. Starts when a chat needs it:</source>
        <translation>新增或更改。对话需要时会启动：</translation>
    </message>
    <message>
        <source>Add a folder that contains models</source>
        <translation>添加包含模型的文件夹</translation>
    </message>
    <message>
        <source>No models yet. Get one from Hugging Face, or add a folder of models.</source>
        <translation>还没有模型。可从 Hugging Face 获取，或添加包含模型的文件夹。</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a model name or link</source>
        <translation>搜索 Hugging Face，或粘贴模型名称或链接</translation>
    </message>
    <message>
        <source>This model already has an adapter</source>
        <translation>此模型已有适配器</translation>
    </message>
    <message>
        <source>Lists the model a second time, with a LoRA or DoRA adapter</source>
        <translation>另外列出带 LoRA 或 DoRA 适配器的模型</translation>
    </message>
    <message>
        <source>Enter part of a model’s name first</source>
        <translation>请先输入模型名称的一部分</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a reply</comment>
        <translation>已停止</translation>
    </message>
    <message>
        <source>It runs on {hosts} and hasn’t been started.</source>
        <translation>它在 {hosts} 上运行，尚未启动。</translation>
    </message>
    <message>
        <source>Looking for changes…</source>
        <translation>正在查找更改…</translation>
    </message>
    <message>
        <source>Leave Out Oldest Messages</source>
        <translation>省略最早的消息</translation>
    </message>
    <message>
        <source>Interrupted when Stretto quit</source>
        <comment>a reply</comment>
        <translation>因 Stretto 退出而中断</translation>
    </message>
    <message>
        <source>Opens the model’s page on Hugging Face</source>
        <translation>在 Hugging Face 上打开模型页面</translation>
    </message>
    <message>
        <source>{context}. Nearly full. Start a new chat, or leave out the oldest messages.</source>
        <translation>{context}。即将用尽：请新建对话，或省略最早的消息。</translation>
    </message>
    <message>
        <source>This chat now leaves out its oldest messages</source>
        <translation>此对话现在会省略最早的消息</translation>
    </message>
    <message>
        <source>As Much as Fits</source>
        <translation>尽可能多</translation>
    </message>
    <message>
        <source>Search Chats for “{words}”</source>
        <translation>在对话中搜索“{words}”</translation>
    </message>
    <message>
        <source>Use with Agent</source>
        <translation>搭配智能体使用</translation>
    </message>
    <message>
        <source>Choose project folder</source>
        <translation>选择项目文件夹</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Project folder</source>
        <translation>项目文件夹</translation>
    </message>
    <message>
        <source>The agent’s own settings stay as they are. Stretto creates a key if it needs one. If it isn’t installed, the terminal shows how to install it.</source>
        <translation>智能体自身的设置保持不变。需要密钥时会为其创建。若尚未安装，终端会说明如何安装。</translation>
    </message>
    <message>
        <source>Copy Command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Open in Terminal</source>
        <translation>在终端中打开</translation>
    </message>
    <message>
        <source>Choose Project Folder</source>
        <translation>选择项目文件夹</translation>
    </message>
    <message>
        <source>No terminal was found. Copy the command into yours.</source>
        <translation>未找到终端。请将命令复制到你的终端中。</translation>
    </message>
    <message>
        <source>The terminal couldn’t be opened: {error}.</source>
        <translation>无法打开终端：{error}。</translation>
    </message>
    <message>
        <source>prompt lookup</source>
        <translation>提示词查找</translation>
    </message>
    <message>
        <source>Prompt lookup</source>
        <translation>提示词查找</translation>
    </message>
    <message>
        <source>A smaller model with the same tokenizer can speed up a chat that replies alone. Prompt lookup needs no model. It helps when the reply repeats text or code from the chat with changes. Replies stay the same.</source>
        <translation>使用相同分词器的较小模型可加快单独回复的对话。提示词查找无需模型：在改写对话中已有的文本或代码时有帮助。回复内容不变。</translation>
    </message>
    <message>
        <source>{name} no longer uses prompt lookup.</source>
        <translation>{name} 不再使用提示词查找。</translation>
    </message>
    <message>
        <source>{name} uses prompt lookup.</source>
        <translation>{name} 使用提示词查找。</translation>
    </message>
    <message>
        <source>{name} uses prompt lookup once loaded.</source>
        <translation>{name} 加载后将使用提示词查找。</translation>
    </message>
    <message>
        <source>Share of compute when several clients are active</source>
        <translation>多个客户端同时活动时的计算份额</translation>
    </message>
    <message>
        <source>The message alone is too long for the model’s context.</source>
        <translation>仅这条消息就已超出模型的上下文。</translation>
    </message>
    <message>
        <source>Use {model}</source>
        <translation>使用 {model}</translation>
    </message>
    <message>
        <source>images</source>
        <comment>after another word</comment>
        <translation>图片</translation>
    </message>
    <message>
        <source>{model} can’t see images. Remove them, or choose a model that can.</source>
        <translation>{model} 无法查看图片。请移除图片，或选择支持图片的模型。</translation>
    </message>
    <message>
        <source>Pasted image</source>
        <translation>粘贴的图片</translation>
    </message>
    <message>
        <source>The image is no longer available.</source>
        <translation>图片已不可用。</translation>
    </message>
    <message>
        <source>The model can’t see images.</source>
        <translation>此模型无法查看图片。</translation>
    </message>
    <message>
        <source>Supports images</source>
        <translation>支持图片</translation>
    </message>
    <message>
        <source>Images in your messages are sent to this model</source>
        <translation>消息中的图片会发送给此模型</translation>
    </message>
    <message>
        <source>Image {name}, {about}</source>
        <translation>图片 {name}，{about}</translation>
    </message>
    <message>
        <source>Enter shows the image, Delete removes it</source>
        <translation>按 Enter 显示图片，按 Delete 移除图片</translation>
    </message>
    <message>
        <source>Broadcast is on. To include a remote chat, press {keys} in it.</source>
        <translation>群发已开启。要包含远程对话，请在其中按 {keys}。</translation>
    </message>
    <message>
        <source>The connection to {host} was lost before the reply ended.</source>
        <translation>回复尚未结束，与 {host} 的连接就已断开。</translation>
    </message>
    <message>
        <source>{host} couldn’t finish the reply.</source>
        <translation>{host} 无法完成此回复。</translation>
    </message>
    <message>
        <source>Send now, interrupting the reply</source>
        <translation>中断回复并立即发送</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Editing your message</source>
        <translation>正在编辑消息</translation>
    </message>
    <message>
        <source>No app here opens PDFs. Export the chat as PDF instead.</source>
        <translation>没有可打开 PDF 的应用。请改为将对话导出为 PDF。</translation>
    </message>
    <message>
        <source>Branch: {title}</source>
        <translation>分支：{title}</translation>
    </message>
    <message>
        <source>Branch {number}: {title}</source>
        <translation>分支 {number}：{title}</translation>
    </message>
    <message>
        <source>{model} can’t hear recordings. Remove them, or choose a model that can.</source>
        <translation>{model} 无法收听录音。请移除录音，或选择支持录音的模型。</translation>
    </message>
    <message>
        <source>The model can’t hear recordings.</source>
        <translation>此模型无法收听录音。</translation>
    </message>
    <message>
        <source>Beginning of the chat</source>
        <translation>对话的开头</translation>
    </message>
    <message>
        <source>shown</source>
        <comment>of a branch</comment>
        <translation>当前显示</translation>
    </message>
    <message numerus="yes">
        <source>%Ln branch</source>
        <comment>%Ln branches</comment>
        <translation>
            <numerusform>%Ln 个分支</numerusform>
        </translation>
    </message>
    <message>
        <source>Name of the branch</source>
        <translation>分支名称</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>分支</translation>
    </message>
    <message>
        <source>Show This Branch  Enter</source>
        <translation>显示此分支  Enter</translation>
    </message>
    <message>
        <source>Name Branch  F2</source>
        <translation>为分支命名  F2</translation>
    </message>
    <message>
        <source>Compare Branches  Shift+Enter</source>
        <translation>对比分支  Shift+Enter</translation>
    </message>
    <message>
        <source>Messages One by One  Shift+Right</source>
        <translation>逐条显示消息  Shift+Right</translation>
    </message>
    <message>
        <source>Delete Branch  Del</source>
        <translation>删除分支  Del</translation>
    </message>
    <message>
        <source>Choose a branch below it.</source>
        <translation>请选择其下的一个分支。</translation>
    </message>
    <message>
        <source>This branch is shown already. Choose another, or two to compare.</source>
        <translation>当前显示的就是此分支。请选择另一个分支，或选择两个进行对比。</translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more message</source>
        <comment>… %Ln more messages</comment>
        <translation>
            <numerusform>… 还有 %Ln 条消息</numerusform>
        </translation>
    </message>
    <message>
        <source>Compare Branches</source>
        <translation>对比分支</translation>
    </message>
    <message>
        <source>Both continue from “{words}”</source>
        <translation>两者都接在“{words}”之后</translation>
    </message>
    <message>
        <source>Shown branch</source>
        <translation>当前分支</translation>
    </message>
    <message>
        <source>Other branch</source>
        <translation>另一分支</translation>
    </message>
    <message>
        <source>Show This Branch</source>
        <translation>显示此分支</translation>
    </message>
    <message>
        <source>Hide Branches</source>
        <translation>隐藏分支</translation>
    </message>
    <message>
        <source>Show Branches</source>
        <translation>显示分支</translation>
    </message>
    <message>
        <source>Optimist</source>
        <translation>乐观者</translation>
    </message>
    <message>
        <source>Answer as an optimist. Make the case for it.</source>
        <translation>以乐观者的身份回复，说明支持的理由。</translation>
    </message>
    <message>
        <source>Skeptic</source>
        <translation>怀疑者</translation>
    </message>
    <message>
        <source>Answer as a skeptic. Say what could go wrong.</source>
        <translation>以怀疑者的身份回复，指出可能出错的地方。</translation>
    </message>
    <message>
        <source>Engineer</source>
        <translation>工程师</translation>
    </message>
    <message>
        <source>Answer as an engineer. Explain how you’d build it.</source>
        <translation>以工程师的身份回复，说明你会怎么做。</translation>
    </message>
    <message>
        <source>Judged by {model}</source>
        <translation>由 {model} 评判</translation>
    </message>
    <message>
        <source>Merged by {model}</source>
        <translation>由 {model} 合并</translation>
    </message>
    <message>
        <source>Vote</source>
        <translation>投票</translation>
    </message>
    <message>
        <source>The comparison is still running.</source>
        <translation>对比仍在进行。</translation>
    </message>
    <message>
        <source>Needs at least two replies.</source>
        <translation>至少需要两条回复。</translation>
    </message>
    <message>
        <source>Models can misjudge. Check what matters.</source>
        <translation>模型可能判断有误。重要内容请核实。</translation>
    </message>
    <message>
        <source>A reply was cut off and can’t be counted.</source>
        <translation>有一条回复被截断，无法计票。</translation>
    </message>
    <message>
        <source>Only numbers, short choices, and JSON can be counted.</source>
        <translation>只能统计数字、简短选项和 JSON。</translation>
    </message>
    <message>
        <source>All {total} say {value}.</source>
        <translation>全部 {total} 条都是 {value}。</translation>
    </message>
    <message>
        <source>No reply has more votes than the others.</source>
        <translation>没有一条回复的票数多于其他回复。</translation>
    </message>
    <message>
        <source>{most} of {total} say {value}.</source>
        <translation>{total} 条中有 {most} 条是 {value}。</translation>
    </message>
    <message>
        <source>No reply: {names}</source>
        <translation>没有回复：{names}</translation>
    </message>
    <message>
        <source>Agreeing doesn’t make it correct.</source>
        <translation>一致不等于正确。</translation>
    </message>
    <message>
        <source>This chat’s model</source>
        <translation>此对话的模型</translation>
    </message>
    <message>
        <source>As in chat</source>
        <comment>a temperature</comment>
        <translation>与对话相同</translation>
    </message>
    <message>
        <source>Random</source>
        <comment>a seed</comment>
        <translation>随机</translation>
    </message>
    <message>
        <source>Instructions for this member</source>
        <translation>给此成员的指令</translation>
    </message>
    <message>
        <source>Remove Member</source>
        <translation>移除成员</translation>
    </message>
    <message>
        <source>Name of member {number}</source>
        <translation>成员 {number} 的名称</translation>
    </message>
    <message>
        <source>Model of member {number}</source>
        <translation>成员 {number} 的模型</translation>
    </message>
    <message>
        <source>Temperature of member {number}</source>
        <translation>成员 {number} 的温度</translation>
    </message>
    <message>
        <source>Seed of member {number}</source>
        <translation>成员 {number} 的种子</translation>
    </message>
    <message>
        <source>Instructions of member {number}</source>
        <translation>成员 {number} 的指令</translation>
    </message>
    <message>
        <source>Remove member {number}</source>
        <translation>移除成员 {number}</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Save As…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Add Member</source>
        <translation>添加成员</translation>
    </message>
    <message>
        <source>Compare at least two members.</source>
        <translation>请至少对比两名成员。</translation>
    </message>
    <message>
        <source>You can compare up to {most} members.</source>
        <translation>最多可以对比 {most} 名成员。</translation>
    </message>
    <message>
        <source>Last comparison</source>
        <translation>上次的对比</translation>
    </message>
    <message>
        <source>Save Comparison</source>
        <translation>保存对比</translation>
    </message>
    <message>
        <source>Rename Comparison</source>
        <translation>重命名对比</translation>
    </message>
    <message>
        <source>Go to one of the columns first.</source>
        <translation>请先转到其中一列。</translation>
    </message>
    <message>
        <source>This reply came from a comparison. Open the comparison to regenerate it.</source>
        <translation>此回复来自对比。请打开对比以重新生成。</translation>
    </message>
    <message>
        <source>Finish editing the message first.</source>
        <translation>请先完成消息的编辑。</translation>
    </message>
    <message>
        <source>The columns of this comparison aren’t in this chat.</source>
        <translation>此对话中没有这次对比的各列。</translation>
    </message>
    <message>
        <source>Show Comparison: {names}</source>
        <translation>显示对比：{names}</translation>
    </message>
    <message>
        <source>Show Comparison</source>
        <translation>显示对比</translation>
    </message>
    <message>
        <source>Judge</source>
        <translation>评判</translation>
    </message>
    <message>
        <source>A model compares the replies in both orders</source>
        <translation>由模型按两种顺序对比各条回复</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>Combines the replies and cites where each part came from</source>
        <translation>合并各条回复，并注明每部分的来源</translation>
    </message>
    <message>
        <source>Count Votes</source>
        <translation>计票</translation>
    </message>
    <message>
        <source>Counts replies that are numbers, choices, or JSON</source>
        <translation>统计数字、选项或 JSON 形式的回复</translation>
    </message>
    <message>
        <source>Continue from this reply. The others are kept as versions.</source>
        <translation>从这条回复继续。其他回复保留为版本。</translation>
    </message>
    <message>
        <source>Keep {name}</source>
        <translation>保留 {name}</translation>
    </message>
    <message>
        <source>Hide Comparison  Esc</source>
        <translation>隐藏对比  Esc</translation>
    </message>
    <message>
        <source>All members have replied</source>
        <translation>全部成员已回复</translation>
    </message>
    <message>
        <source>Compare with Same Members</source>
        <translation>用相同成员对比</translation>
    </message>
    <message>
        <source>Show/Hide Comparison</source>
        <translation>显示或隐藏对比</translation>
    </message>
    <message>
        <source>Judge Compared Replies</source>
        <translation>评判对比的回复</translation>
    </message>
    <message>
        <source>Merge Compared Replies</source>
        <translation>合并对比的回复</translation>
    </message>
    <message>
        <source>Count Votes of Compared Replies</source>
        <translation>统计对比回复的票</translation>
    </message>
    <message>
        <source>This chat is no longer there.</source>
        <translation>此对话已不存在。</translation>
    </message>
    <message>
        <source>chat</source>
        <comment>a kind of file</comment>
        <translation>对话</translation>
    </message>
    <message numerus="yes">
        <source>message {numbers}</source>
        <comment>messages {numbers}</comment>
        <translation>
            <numerusform>消息 {numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} new message</source>
        <comment>{count} new messages</comment>
        <translation>
            <numerusform>{count} 条新消息</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>changed, {count} message</source>
        <comment>changed, {count} messages</comment>
        <translation>
            <numerusform>有更改，{count} 条消息</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>last message</source>
        <comment>last {count} messages</comment>
        <translation>
            <numerusform>最后 {count} 条消息</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>whole, {count} message</source>
        <comment>whole, {count} messages</comment>
        <translation>
            <numerusform>全部，{count} 条消息</numerusform>
        </translation>
    </message>
    <message>
        <source>Read another chat</source>
        <translation>读取其他对话</translation>
    </message>
    <message>
        <source>@, in the message</source>
        <translation>@，在消息中</translation>
    </message>
    <message>
        <source>Message {number}</source>
        <translation>消息 {number}</translation>
    </message>
    <message>
        <source>Enter opens the chat, Right shows the text sent to the model</source>
        <translation>按 Enter 打开对话，按右方向键显示发送给模型的文本</translation>
    </message>
    <message>
        <source>Chat {name}, {about}</source>
        <translation>对话 {name}，{about}</translation>
    </message>
    <message>
        <source>Enter opens the menu, Delete ends following the chat</source>
        <translation>按 Enter 打开菜单，按 Delete 停止跟随对话</translation>
    </message>
    <message>
        <source>Open Chat</source>
        <translation>打开对话</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>no longer there</source>
        <comment>a chat</comment>
        <translation>已不存在</translation>
    </message>
    <message>
        <source>in the Trash</source>
        <comment>a chat</comment>
        <translation>在废纸篓中</translation>
    </message>
    <message>
        <source>Deleted chat</source>
        <translation>已删除的对话</translation>
    </message>
    <message>
        <source>too long</source>
        <comment>a chat</comment>
        <translation>过长</translation>
    </message>
    <message>
        <source>Read Another Chat</source>
        <translation>读取其他对话</translation>
    </message>
    <message numerus="yes">
        <source>Whole chat, %Ln message</source>
        <comment>Whole chat, %Ln messages</comment>
        <translation>
            <numerusform>整个对话，%Ln 条消息</numerusform>
        </translation>
    </message>
    <message>
        <source>Last messages:</source>
        <translation>最后的消息：</translation>
    </message>
    <message>
        <source>Number of messages</source>
        <translation>消息数量</translation>
    </message>
    <message>
        <source>Include new messages from this chat as they arrive</source>
        <translation>随时加入此对话的新消息</translation>
    </message>
    <message>
        <source>Reasoning, tool calls, and the text of files are left out.</source>
        <translation>不包括推理、工具调用和文件文本。</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>There’s no other chat.</source>
        <translation>没有其他对话。</translation>
    </message>
    <message>
        <source>Read Another Chat…</source>
        <translation>读取其他对话…</translation>
    </message>
    <message>
        <source>Search chats to read</source>
        <translation>搜索要读取的对话</translation>
    </message>
    <message>
        <source>A chat follows at most {most} others.</source>
        <translation>一个对话最多可跟随 {most} 个其他对话。</translation>
    </message>
    <message>
        <source>Keep compared reply</source>
        <translation>保留一条对比回复</translation>
    </message>
    <message>
        <source>Enter, on a column</source>
        <translation>Enter，在列上</translation>
    </message>
    <message>
        <source>Previous or next column</source>
        <translation>上一列或下一列</translation>
    </message>
    <message>
        <source>Left or Right, on a column</source>
        <translation>左右箭头，在列上</translation>
    </message>
    <message>
        <source>Show branch</source>
        <translation>显示分支</translation>
    </message>
    <message>
        <source>Enter, in the branches</source>
        <translation>Enter，在分支中</translation>
    </message>
    <message>
        <source>Name branch</source>
        <translation>为分支命名</translation>
    </message>
    <message>
        <source>F2, in the branches</source>
        <translation>F2，在分支中</translation>
    </message>
    <message>
        <source>Compare branches</source>
        <translation>对比分支</translation>
    </message>
    <message>
        <source>Shift+Enter, in the branches</source>
        <translation>Shift+Enter，在分支中</translation>
    </message>
    <message>
        <source>Show messages of a branch one by one</source>
        <translation>逐条显示分支的消息</translation>
    </message>
    <message>
        <source>Shift+Right, in the branches</source>
        <translation>Shift+右箭头，在分支中</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>删除分支</translation>
    </message>
    <message>
        <source>Delete, in the branches</source>
        <translation>Delete，在分支中</translation>
    </message>
    <message>
        <source>Ask Helpers</source>
        <translation>询问助手</translation>
    </message>
    <message>
        <source>Answers up to 8 questions at the same time with the same model.</source>
        <translation>用同一模型同时处理最多 8 个问题。</translation>
    </message>
    <message>
        <source>Ask helpers these questions?</source>
        <translation>要向助手提出这些问题吗？</translation>
    </message>
    <message>
        <source>Only the question</source>
        <translation>仅问题</translation>
    </message>
    <message>
        <source>This chat so far</source>
        <translation>此对话到目前为止</translation>
    </message>
    <message>
        <source>“{name}” must be a list of 1 to {most} texts.</source>
        <translation>“{name}”必须是包含 1 到 {most} 段文本的列表。</translation>
    </message>
    <message>
        <source>“{name}” must be “fresh” or “fork”.</source>
        <translation>“{name}”必须是“fresh”或“fork”。</translation>
    </message>
    <message numerus="yes">
        <source>%n helper</source>
        <comment>%n helpers</comment>
        <translation>
            <numerusform>%n 个助手</numerusform>
        </translation>
    </message>
    <message>
        <source>Tokens for each helper</source>
        <translation>每个助手的 token 数</translation>
    </message>
    <message>
        <source>Seconds for all helpers</source>
        <translation>所有助手的总秒数</translation>
    </message>
    <message>
        <source>Helpers at once</source>
        <translation>同时运行的助手数</translation>
    </message>
    <message>
        <source>The model was unloaded.</source>
        <translation>模型已卸载。</translation>
    </message>
    <message>
        <source>It tried to use a tool.</source>
        <translation>它试图使用工具。</translation>
    </message>
    <message>
        <source>Memory is full.</source>
        <translation>内存已满。</translation>
    </message>
    <message>
        <source>Waiting</source>
        <comment>a helper</comment>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Reading</source>
        <comment>a helper</comment>
        <translation>正在读取</translation>
    </message>
    <message>
        <source>Thinking</source>
        <comment>a helper</comment>
        <translation>正在思考</translation>
    </message>
    <message>
        <source>Writing</source>
        <comment>a helper</comment>
        <translation>正在撰写</translation>
    </message>
    <message>
        <source>Done</source>
        <comment>a helper</comment>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a helper</comment>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Out of tokens</source>
        <comment>a helper</comment>
        <translation>token 已用完</translation>
    </message>
    <message>
        <source>Out of time</source>
        <comment>a helper</comment>
        <translation>时间已用完</translation>
    </message>
    <message>
        <source>Failed</source>
        <comment>a helper</comment>
        <translation>失败</translation>
    </message>
    <message>
        <source>Stop this helper</source>
        <translation>停止此助手</translation>
    </message>
    <message>
        <source>Helper {number} of {count}, {state}</source>
        <translation>助手 {number}/{count}，{state}</translation>
    </message>
    <message numerus="yes">
        <source>Asking %n helper</source>
        <comment>Asking %n helpers</comment>
        <translation>
            <numerusform>正在询问 %n 个助手</numerusform>
        </translation>
    </message>
    <message>
        <source>From Help, because the Guide can get this wrong.</source>
        <translation>来自帮助，因为 Guide 对此可能出错。</translation>
    </message>
    <message>
        <source>Stretto no longer has comparison tables. Yours is saved as CSV and JSON in {folder}.</source>
        <translation>Stretto 不再有对比表。你的对比表已以 CSV 和 JSON 格式保存到 {folder}。</translation>
    </message>
    <message>
        <source>Chat Settings (changed)</source>
        <translation>对话设置（已更改）</translation>
    </message>
    <message>
        <source>Copy Message</source>
        <translation>复制消息</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>提供商</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Add Server…</source>
        <translation>添加服务器…</translation>
    </message>
    <message>
        <source>Add Server</source>
        <translation>添加服务器</translation>
    </message>
    <message>
        <source>Command or address</source>
        <translation>命令或地址</translation>
    </message>
    <message>
        <source>Enter a name, and a command or an address.</source>
        <translation>请输入名称，以及命令或地址。</translation>
    </message>
</context>
</TS>
